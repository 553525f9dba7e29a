#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// A reusable parser: one thread at a time.
typedef struct sj_parser sj_parser;

/// What the parser holds after a parse. Both pointers live until the next parse or the destruction.
typedef struct {
    /// Words as simdjson documents them in doc/tape.md; `tape[1]` is the root value.
    const uint64_t *tape;
    /// Unescaped strings: 4 bytes of length in host order, the bytes, a NUL.
    const uint8_t *strings;
} sj_document;

typedef enum {
    sj_ok = 0,
    sj_empty,
    sj_syntax,
    sj_utf8,
    sj_depth,
    sj_capacity,
    sj_trailing,
    sj_memory,
} sj_status;

/// Returns NULL when out of memory. The caller destroys it.
sj_parser *sj_parser_create(size_t bytes_max, size_t depth_max);
void sj_parser_destroy(sj_parser *parser);

/// Parses a copy of `bytes`, so they may go away as soon as it returns.
sj_status sj_parse(sj_parser *parser, const uint8_t *bytes, size_t length, sj_document *document);

#ifdef __cplusplus
}
#endif
