extension JSONValue {
    /// The elements of an array in order; none when it is no array.
    public struct Elements: Sequence, IteratorProtocol {
        @usableFromInline var cursor: JSONValue
        @usableFromInline let last: Int

        @inline(__always) @inlinable
        init(of value: JSONValue) {
            let isArray = value.tag == Tag.array
            cursor = value.at(value.index + 1)
            last = isArray ? value.end - 1 : cursor.index
        }

        @inline(__always) @inlinable
        public mutating func next() -> JSONValue? {
            guard cursor.index < last else { return nil }
            let element = cursor
            cursor = element.at(element.end)
            return element
        }
    }

    /// The members of an object in order, with repeated names; none when it is no object.
    public struct Members: Sequence, IteratorProtocol {
        @usableFromInline var cursor: JSONValue
        @usableFromInline let last: Int

        @inline(__always) @inlinable
        init(of value: JSONValue) {
            let isObject = value.tag == Tag.object
            cursor = value.at(value.index + 1)
            last = isObject ? value.end - 1 : cursor.index
        }

        @inline(__always) @inlinable
        public mutating func next() -> (key: UnsafeBufferPointer<UInt8>, value: JSONValue)? {
            guard cursor.index < last else { return nil }
            let key = cursor.utf8
            let value = cursor.at(cursor.index + 1)
            cursor = value.at(value.end)
            return (key, value)
        }
    }

    @inlinable public var elements: Elements {
        @inline(__always) get { Elements(of: self) }
    }

    @inlinable public var members: Members {
        @inline(__always) get { Members(of: self) }
    }

    @inline(__always) @inlinable
    public func forEachElement<Failure: Error>(
        _ body: (JSONValue) throws(Failure) -> Void
    ) throws(Failure) {
        var elements = elements
        while let element = elements.next() { try body(element) }
    }

    @inline(__always) @inlinable
    public func forEachMember<Failure: Error>(
        _ body: (_ keyUTF8: UnsafeBufferPointer<UInt8>, _ value: JSONValue) throws(Failure) -> Void
    ) throws(Failure) {
        var members = members
        while let member = members.next() { try body(member.key, member.value) }
    }

    /// Number of elements or members; 0 for everything else.
    @inlinable public var count: Int {
        guard isArray || isObject else { return 0 }
        let count = Int((word >> 32) & 0xFF_FFFF)
        // The tape has 24 bits for it and stays at the greatest number when there are more.
        guard count == 0xFF_FFFF else { return count }
        return isArray ? elements.reduce(0) { sum, _ in sum + 1 } : members.reduce(0) { sum, _ in sum + 1 }
    }

    /// The first member of that name.
    @inlinable public subscript(name: StaticString) -> JSONValue? {
        for (key, value) in members where key.isEqual(to: name) { return value }
        return nil
    }

    /// The same for a name that comes from data; disfavoured, so that a literal stays a `StaticString`.
    @_disfavoredOverload
    @inlinable public subscript(name: String) -> JSONValue? {
        // Most names differ in length, which is the cheapest question.
        let length = name.utf8.count
        for (key, value) in members where key.count == length && key.elementsEqual(name.utf8) { return value }
        return nil
    }

    @inline(__always) @inlinable
    func at(_ index: Int) -> JSONValue {
        JSONValue(tape: tape, strings: strings, index: index)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Compares a member's name with a literal, byte for byte.
    @inline(__always) @inlinable
    public func isEqual(to name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        let literal = name.utf8Start
        for index in 0..<count where self[index] != literal[index] { return false }
        return true
    }
}
