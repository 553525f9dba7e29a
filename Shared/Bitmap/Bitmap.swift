import CRoaring

/// A set of 32-bit numbers, compressed (Roaring).
///
/// A value like an array: copies share memory until one of them changes. Who frees: the last copy. Threads:
/// as for any value. Copies: nothing it is given stays in use. Out of memory ends the process, as with
/// arrays.
public struct Bitmap: Sendable, Equatable {
    private var storage: Storage

    public init() {
        storage = Storage(roaring_bitmap_create())
    }

    public init(_ values: [UInt32]) {
        storage = Storage(roaring_bitmap_of_ptr(values.count, values))
    }

    public var count: Int { Int(roaring_bitmap_get_cardinality(storage.pointer)) }
    public var isEmpty: Bool { roaring_bitmap_is_empty(storage.pointer) }
    public var min: UInt32? { isEmpty ? nil : roaring_bitmap_minimum(storage.pointer) }
    public var max: UInt32? { isEmpty ? nil : roaring_bitmap_maximum(storage.pointer) }

    public func contains(_ value: UInt32) -> Bool {
        roaring_bitmap_contains(storage.pointer, value)
    }

    public mutating func add(_ value: UInt32) {
        roaring_bitmap_add(owned(), value)
    }

    /// Adds `value` and says whether it was missing.
    public mutating func insert(_ value: UInt32) -> Bool {
        roaring_bitmap_add_checked(owned(), value)
    }

    /// Fastest when the values are sorted.
    public mutating func addMany(_ values: [UInt32]) {
        roaring_bitmap_add_many(owned(), values.count, values)
    }

    public mutating func addMany(_ values: UnsafeBufferPointer<UInt32>) {
        roaring_bitmap_add_many(owned(), values.count, values.baseAddress)
    }

    public mutating func remove(_ value: UInt32) {
        roaring_bitmap_remove(owned(), value)
    }

    public mutating func formUnion(_ other: Bitmap) {
        roaring_bitmap_or_inplace(owned(), other.storage.pointer)
    }

    public mutating func formIntersection(_ other: Bitmap) {
        roaring_bitmap_and_inplace(owned(), other.storage.pointer)
    }

    public mutating func subtract(_ other: Bitmap) {
        roaring_bitmap_andnot_inplace(owned(), other.storage.pointer)
    }

    /// Size of the intersection, without making it.
    public func intersectionCount(_ other: Bitmap) -> Int {
        Int(roaring_bitmap_and_cardinality(storage.pointer, other.storage.pointer))
    }

    /// Size of the union, without making it.
    public func unionCount(_ other: Bitmap) -> Int {
        Int(roaring_bitmap_or_cardinality(storage.pointer, other.storage.pointer))
    }

    /// All values, ascending.
    public var values: [UInt32] {
        let count = count
        return [UInt32](unsafeUninitializedCapacity: count) { buffer, initialized in
            // An empty array has no address to write to.
            if count > 0 { roaring_bitmap_to_uint32_array(storage.pointer, buffer.baseAddress) }
            initialized = count
        }
    }

    public static func == (left: Bitmap, right: Bitmap) -> Bool {
        roaring_bitmap_equals(left.storage.pointer, right.storage.pointer)
    }

    /// The pointer, after making sure that no other copy uses it.
    private mutating func owned() -> UnsafeMutablePointer<roaring_bitmap_t> {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        return storage.pointer
    }
}

extension Bitmap {
    /// The portable format that every Roaring library reads, after compressing runs.
    public func serialized() -> [UInt8] {
        var copy = self
        roaring_bitmap_run_optimize(copy.owned())
        let count = roaring_bitmap_portable_size_in_bytes(copy.storage.pointer)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            buffer.withMemoryRebound(to: CChar.self) { chars in
                initialized = roaring_bitmap_portable_serialize(copy.storage.pointer, chars.baseAddress)
            }
        }
    }

    /// Reads what `serialized` wrote.
    ///
    /// - Throws: `BitmapFormatError` for anything else. All of it is checked first: the library stays within
    ///   the bytes, but believes their order and counts, and would write beyond its memory later.
    public init(serialized bytes: [UInt8]) throws(BitmapFormatError) {
        try BitmapFormat.check(bytes)
        let pointer = bytes.withUnsafeBytes { raw in
            let chars = raw.assumingMemoryBound(to: CChar.self).baseAddress
            return roaring_bitmap_portable_deserialize_safe(chars, raw.count)
        }
        guard let pointer else { throw .malformed }
        storage = Storage(pointer)
    }

    /// Owns the `roaring_bitmap_t`.
    ///
    /// `@unchecked Sendable`: it is changed only while a single `Bitmap` refers to it; reads change nothing,
    /// since the library's own copy-on-write is never turned on.
    private final class Storage: @unchecked Sendable {
        let pointer: UnsafeMutablePointer<roaring_bitmap_t>

        init(_ pointer: UnsafeMutablePointer<roaring_bitmap_t>?) {
            guard let pointer else { fatalError("out of memory") }
            self.pointer = pointer
        }

        deinit { roaring_bitmap_free(pointer) }

        func copy() -> Storage { Storage(roaring_bitmap_copy(pointer)) }
    }
}
