import Kafka

/// The partitions this instance holds, and how far each is stored.
struct Assignment {
    /// Offset of the next message to store; nil until the first message of a partition that was never stored.
    private var next: [Int32: Int64?] = [:]

    var partitions: [Int32] { next.keys.sorted() }

    /// - Parameter stored: positions found in the database.
    mutating func take(_ partitions: [Int32], stored: [Int32: Int64]) {
        for partition in partitions { next[partition] = .some(stored[partition]) }
    }

    mutating func drop(_ partitions: [Int32]) {
        for partition in partitions { next[partition] = nil }
    }

    /// Forgets the positions and keeps the partitions: they are to be read from the database again.
    mutating func own(_ partitions: [Int32]) {
        for partition in partitions { next[partition] = .some(nil) }
    }

    /// The stored position; nil for a partition that is not held or was never stored.
    func position(of partition: Int32) -> Int64? { next[partition] ?? nil }

    func start(of partition: Int32) -> KafkaOffset {
        guard let known = next[partition], let offset = known else { return .beginning }
        return .at(offset)
    }

    /// Leaves out messages of partitions that were taken away while they were under way.
    func held(_ messages: [KafkaMessage]) -> [KafkaMessage] {
        messages.filter { next[$0.partition] != nil }
    }

    /// Partitions whose first message lies before the stored offset: the topic was made anew or has lost its end.
    ///
    /// Such messages are stored like any other, for repeats are recognised; skipping them could lose what is new.
    func movedBack(_ messages: [KafkaMessage]) -> [Int32] {
        var first: [Int32: Int64] = [:]
        for message in messages where first[message.partition] == nil {
            first[message.partition] = message.offset
        }
        return first.keys.sorted().filter { partition in
            guard let known = next[partition] ?? nil, let offset = first[partition] else { return false }
            return offset < known
        }
    }

    /// Where offsets are missing before a message: expired unread, or used up by the broker itself.
    func gaps(before messages: [KafkaMessage]) -> [OffsetGap] {
        var expected: [Int32: Int64] = [:]
        var gaps: [OffsetGap] = []
        for message in messages {
            let known = expected[message.partition] ?? position(of: message.partition)
            if let known, message.offset > known {
                gaps.append(OffsetGap(partition: message.partition, from: known, to: message.offset))
            }
            expected[message.partition] = message.offset + 1
        }
        return gaps
    }

    /// What storing `messages` does to the offsets.
    ///
    /// The first message of a partition may lie beyond the stored offset: see `gaps`.
    func progress(over messages: [KafkaMessage]) -> [PartitionProgress] {
        var first: [Int32: Int64] = [:]
        var last: [Int32: Int64] = [:]
        for message in messages {
            if first[message.partition] == nil { first[message.partition] = message.offset }
            last[message.partition] = message.offset
        }
        return last.keys.sorted().map { partition in
            let known = next[partition] ?? nil
            return PartitionProgress(
                partition: partition,
                expected: known ?? first[partition] ?? 0,
                next: (last[partition] ?? 0) + 1
            )
        }
    }

    mutating func move(_ progress: [PartitionProgress]) {
        for partition in progress { next[partition.partition] = .some(partition.next) }
    }
}

/// Offsets of one partition that nobody delivered, the end exclusive.
struct OffsetGap: Equatable {
    let partition: Int32
    let from: Int64
    let to: Int64

    var count: Int64 { to - from }
}
