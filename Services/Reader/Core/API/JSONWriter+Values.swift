import Calendar
import Contracts
import JSON
import Wire

extension JSONWriter {
    /// A member that is null when there is no value.
    mutating func member(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: StaticString, _ value: Int64?) {
        key(name)
        optional(value)
    }

    mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        int(value)
    }

    mutating func member(_ name: StaticString, _ value: UUID128?) {
        key(name)
        if let value { uuid(value) } else { null() }
    }

    /// An instant in UTC.
    mutating func member(_ name: StaticString, atMs ms: Int64?) {
        key(name)
        if let ms { string(RFC3339.format(ms: ms)) } else { null() }
    }

    /// An instant as the app's clocks showed it.
    mutating func member(_ name: StaticString, atMs ms: Int64, in zone: LocalZone) {
        key(name)
        localTime(ms, zone)
    }

    mutating func members<Element>(
        _ name: StaticString,
        _ elements: some Sequence<Element>,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements {
            beginObject()
            write(element, &self)
            endObject()
        }
        endArray()
    }
}
