#pragma once
#include <cstddef>
#include <cstdint>

/// Overwrites in place what is grammatical JSON but beyond what simdjson represents.
///
/// A number out of range becomes an empty array of the same length, an unpaired surrogate escape becomes
/// `\u0000`. Returns whether anything changed. `bytes` must be readable up to `length` and no further.
bool repair(uint8_t *bytes, size_t length);
