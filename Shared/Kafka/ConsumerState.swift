import CRDKafka
import Synchronization

/// What happened to a consumer, in the order in which it happened.
public enum KafkaConsumerEvent: Sendable {
    /// The group gave these partitions to this member and waits for `assign`.
    case assigned([KafkaTopicPartition])
    /// The group takes these partitions back and waits for `unassign`.
    case revoked([KafkaTopicPartition])
    /// One or more messages; per partition in the order of their offsets.
    case messages([KafkaMessage])
    /// Something to log, and a consumer to build anew if `isFatal`.
    case error(KafkaError)
}

/// What a consumer's callbacks leave for the consumer to find.
final class ConsumerState: Sendable {
    let log: KafkaLogHandler?
    private let events = Mutex<[KafkaConsumerEvent]>([])
    private let isClosing = Atomic(false)

    init(log: KafkaLogHandler?) { self.log = log }

    static func from(_ opaque: UnsafeMutableRawPointer?) -> ConsumerState? {
        opaque.map { Unmanaged<ConsumerState>.fromOpaque($0).takeUnretainedValue() }
    }

    func add(_ event: KafkaConsumerEvent) {
        events.withLock { $0.append(event) }
    }

    func takeEvents() -> [KafkaConsumerEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    func beginClosing() { isClosing.store(true, ordering: .relaxed) }

    /// Nobody is left to answer a rebalance: the callback must do it.
    var answersItself: Bool { isClosing.load(ordering: .relaxed) }
}

extension KafkaConfiguration {
    /// All of these run inside `rd_kafka_consumer_poll` or `rd_kafka_consumer_close`, except the log.
    ///
    /// Each ends the poll it runs in, so that the caller hears of it now and not at the next message.
    borrowing func setConsumerCallbacks() {
        onRebalance { client, code, list, opaque in
            guard let client, let list, let state = ConsumerState.from(opaque) else { return }
            // No answer would leave `rd_kafka_consumer_close` waiting for ever.
            if state.answersItself { return _ = rd_kafka_assign(client, nil) }
            let partitions = partitionOffsets(list).map { $0.0 }
            let isGiven = code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS
            state.add(isGiven ? .assigned(partitions) : .revoked(partitions))
            rd_kafka_yield(client)
        }
        onCommit { client, code, _, opaque in
            // _NO_OFFSET: there was nothing to commit.
            guard let state = ConsumerState.from(opaque), code != RD_KAFKA_RESP_ERR__NO_OFFSET else { return }
            guard let error = KafkaError.from(code) else { return }
            state.add(.error(error))
            rd_kafka_yield(client)
        }
        onError { client, code, reason, opaque in
            guard let client, let state = ConsumerState.from(opaque) else { return }
            let code = rd_kafka_resp_err_t(code)
            let fatal = code == RD_KAFKA_RESP_ERR__FATAL ? KafkaError.fatal(of: client) : nil
            state.add(.error(fatal ?? KafkaError(code, reason: reason.map { String(cString: $0) })))
            rd_kafka_yield(client)
        }
        onLog { client, level, facility, message in
            guard let client else { return }
            let state = ConsumerState.from(rd_kafka_opaque(client))
            forward(level: level, facility: facility, message: message, to: state?.log)
        }
    }
}
