/// Why a text is not one JSON document.
///
/// Retrying never helps, except after `outOfMemory`.
public enum JSONError: String, Error, Sendable, CaseIterable {
    /// Nothing but blanks.
    case empty
    /// Against the grammar: a comma too many, an unclosed string, a bad escape.
    case syntax
    case utf8
    /// Nested deeper than `depthMax`.
    case depth
    /// Longer than `bytesMax`.
    case capacity
    /// A complete document with something after it.
    case trailing
    case outOfMemory
}
