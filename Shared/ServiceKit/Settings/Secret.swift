/// A value that must not reach a log, an error text or a debugger's dump.
///
/// Printing one shows a placeholder; `reveal()` is the word to look for in a review.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: String

    public init(_ value: String) { self.value = value }

    public func reveal() -> String { value }

    public var description: String { "<secret>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
