#include "simdjson_shim.h"
#include "repair.h"

#include <simdjson.h>
#include <cstring>
#include <memory>
#include <new>

using simdjson::error_code;

struct sj_parser {
    simdjson::dom::parser parser;
    /// Our own padded copy: simdjson's would be allocated anew for every document longer than all before.
    std::unique_ptr<uint8_t[]> copy;
    size_t capacity = 0;
    const size_t bytes_max;
    const size_t depth_max;

    sj_parser(size_t bytes, size_t depth) : bytes_max(bytes), depth_max(depth) {}
};

namespace {

bool reserve(sj_parser &self, size_t length) {
    if (length <= self.capacity) { return true; }
    size_t capacity = 4096;
    while (capacity < length) { capacity *= 2; }
    self.capacity = 0;
    self.copy.reset(new (std::nothrow) uint8_t[capacity + simdjson::SIMDJSON_PADDING]);
    if (!self.copy) { return false; }
    // One more, because simdjson counts the document itself as a level.
    if (self.parser.allocate(capacity, self.depth_max + 1) != simdjson::SUCCESS) { return false; }
    if (self.parser.doc.allocate(capacity) != simdjson::SUCCESS) { return false; }
    self.capacity = capacity;
    return true;
}

error_code parse_copy(sj_parser &self, size_t length) {
    return self.parser.parse(self.copy.get(), length, false).error();
}

bool is_space(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

/// Length of the first bracketed value at the start of the copy, or 0. Only for telling errors apart.
size_t first_value_length(const uint8_t *bytes, size_t length) {
    size_t depth = 0;
    bool in_string = false;
    for (size_t index = 0; index < length; ++index) {
        const uint8_t byte = bytes[index];
        if (in_string) {
            if (byte == '\\') { ++index; }
            if (byte == '"') { in_string = false; }
        } else if (byte == '"') {
            in_string = true;
        } else if (byte == '{' || byte == '[') {
            ++depth;
        } else if (byte == '}' || byte == ']') {
            if (depth <= 1) { return depth == 1 ? index + 1 : 0; }
            --depth;
        } else if (depth == 0 && !is_space(byte)) {
            return 0;
        }
    }
    return 0;
}

bool is_followed_by_more(sj_parser &self, size_t length) {
    const size_t first = first_value_length(self.copy.get(), length);
    return first > 0 && first < length && parse_copy(self, first) == simdjson::SUCCESS;
}

sj_status status_of(sj_parser &self, error_code error, size_t length) {
    switch (error) {
        case simdjson::SUCCESS: return sj_ok;
        case simdjson::EMPTY: return sj_empty;
        case simdjson::UTF8_ERROR: return sj_utf8;
        case simdjson::DEPTH_ERROR: return sj_depth;
        case simdjson::CAPACITY: return sj_capacity;
        case simdjson::MEMALLOC: return sj_memory;
        case simdjson::TAPE_ERROR: return is_followed_by_more(self, length) ? sj_trailing : sj_syntax;
        default: return sj_syntax;
    }
}

}  // namespace

sj_parser *sj_parser_create(size_t bytes_max, size_t depth_max) {
    return new (std::nothrow) sj_parser(bytes_max, depth_max);
}

void sj_parser_destroy(sj_parser *parser) { delete parser; }

sj_status sj_parse(sj_parser *parser, const uint8_t *bytes, size_t length, sj_document *document) {
    sj_parser &self = *parser;
    if (length >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        length -= 3;
    }
    if (length == 0) { return sj_empty; }
    if (length > self.bytes_max || length > simdjson::SIMDJSON_MAXSIZE_BYTES / 2) { return sj_capacity; }
    if (!reserve(self, length)) { return sj_memory; }
    std::memcpy(self.copy.get(), bytes, length);
    // Vector code reads the padding; defined bytes keep memory checkers quiet and results repeatable.
    std::memset(self.copy.get() + length, ' ', simdjson::SIMDJSON_PADDING);

    error_code error = parse_copy(self, length);
    const bool may_be_range = error == simdjson::NUMBER_ERROR || error == simdjson::STRING_ERROR;
    if (may_be_range && repair(self.copy.get(), length)) { error = parse_copy(self, length); }

    document->tape = self.parser.doc.tape.get();
    document->strings = self.parser.doc.string_buf.get();
    return status_of(self, error, length);
}
