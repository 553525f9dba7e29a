#include "repair.h"

#include <simdjson.h>
#include <cstring>
#include <string>

namespace {

bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/// Parts of one number token that follows the grammar of RFC 8259.
struct number {
    const uint8_t *digits;
    size_t integer_count;
    size_t fraction_count;
    bool negative;
    bool is_float;
    int64_t exponent;
    const uint8_t *end;
};

const uint8_t *skip_digits(const uint8_t *at, const uint8_t *end) {
    while (at < end && is_digit(*at)) { ++at; }
    return at;
}

bool ends_number(const uint8_t *at, const uint8_t *end) {
    return at == end || std::memchr(",]} \t\r\n:[{", *at, 10) != nullptr;
}

/// Exponents are cut to a million: already far beyond every double, and sums of them cannot overflow.
int64_t read_exponent(const uint8_t *at, const uint8_t *end) {
    int64_t value = 0;
    for (; at < end; ++at) {
        if (value < 1000000) { value = value * 10 + (*at - '0'); }
    }
    return value;
}

bool read_number(const uint8_t *at, const uint8_t *end, number &out) {
    out.negative = *at == '-';
    if (out.negative) { ++at; }
    out.digits = at;
    at = skip_digits(at, end);
    out.integer_count = size_t(at - out.digits);
    if (out.integer_count == 0 || (out.integer_count > 1 && *out.digits == '0')) { return false; }
    out.is_float = false;
    out.fraction_count = 0;
    out.exponent = 0;
    if (at < end && *at == '.') {
        out.is_float = true;
        const uint8_t *fraction = ++at;
        at = skip_digits(at, end);
        out.fraction_count = size_t(at - fraction);
        if (out.fraction_count == 0) { return false; }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        out.is_float = true;
        ++at;
        const bool minus = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) { ++at; }
        const uint8_t *first = at;
        at = skip_digits(at, end);
        if (at == first) { return false; }
        out.exponent = read_exponent(first, at) * (minus ? -1 : 1);
    }
    out.end = at;
    return ends_number(at, end);
}

bool is_integer_out_of_range(const number &value) {
    const char *limit = value.negative ? "9223372036854775808" : "18446744073709551615";
    const size_t limit_count = value.negative ? 19 : 20;
    if (value.integer_count != limit_count) { return value.integer_count > limit_count; }
    return std::memcmp(value.digits, limit, limit_count) > 0;
}

/// Asks simdjson itself about the few numbers just below and above the greatest double.
bool simdjson_refuses(const uint8_t *start, const uint8_t *end) {
    simdjson::dom::parser parser;
    const std::string text(reinterpret_cast<const char *>(start), size_t(end - start));
    return parser.parse(text).error() != simdjson::SUCCESS;
}

bool is_float_out_of_range(const uint8_t *start, const number &value) {
    const uint8_t *digit = value.digits;
    int64_t leading = int64_t(value.integer_count);  // Position of the point, counted from the first digit.
    while (digit < value.end && (*digit == '0' || *digit == '.')) {
        if (*digit == '0') { --leading; }
        ++digit;
    }
    if (digit == value.end || !is_digit(*digit)) { return false; }  // Zero, whatever its exponent.
    const int64_t magnitude = leading + value.exponent;  // The value is 0.ddd × 10^magnitude.
    if (magnitude != 309) { return magnitude > 309; }
    return simdjson_refuses(start, value.end);
}

/// Returns where scanning goes on.
uint8_t *repair_number(uint8_t *at, uint8_t *end, bool &changed) {
    number value;
    if (!read_number(at, end, value)) {
        // Not a number: skip its characters, so that a part of it is not taken for another number.
        while (at < end && (is_digit(*at) || std::memchr("+-.eE", *at, 5) != nullptr)) { ++at; }
        return at;
    }
    if (value.is_float ? is_float_out_of_range(at, value) : is_integer_out_of_range(value)) {
        const size_t count = size_t(value.end - at);
        std::memset(at, ' ', count);
        at[0] = '[';
        at[count - 1] = ']';
        changed = true;
    }
    return at + (value.end - at);
}

int hex_value(uint8_t byte) {
    if (is_digit(byte)) { return byte - '0'; }
    const uint8_t lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The code unit of the `\uXXXX` at `at`, or -1.
int code_unit(const uint8_t *at, const uint8_t *end) {
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') { return -1; }
    int unit = 0;
    for (int index = 2; index < 6; ++index) {
        const int digit = hex_value(at[index]);
        if (digit < 0) { return -1; }
        unit = unit * 16 + digit;
    }
    return unit;
}

/// Handles the escape at `at` and returns where scanning goes on.
uint8_t *repair_escape(uint8_t *at, uint8_t *end, bool &changed) {
    const int unit = code_unit(at, end);
    if (unit < 0) { return end - at < 2 ? end : at + 2; }
    if (unit < 0xD800 || unit > 0xDFFF) { return at + 6; }
    if (unit <= 0xDBFF) {
        const int next = code_unit(at + 6, end);
        if (next >= 0xDC00 && next <= 0xDFFF) { return at + 12; }
    }
    std::memcpy(at + 2, "0000", 4);
    changed = true;
    return at + 6;
}

uint8_t *repair_string(uint8_t *at, uint8_t *end, bool &changed) {
    ++at;
    while (at < end && *at != '"') {
        at = *at == '\\' ? repair_escape(at, end, changed) : at + 1;
    }
    return at < end ? at + 1 : end;
}

}  // namespace

bool repair(uint8_t *bytes, size_t length) {
    bool changed = false;
    uint8_t *at = bytes;
    uint8_t *const end = bytes + length;
    while (at < end) {
        if (*at == '"') {
            at = repair_string(at, end, changed);
        } else if (*at == '-' || is_digit(*at)) {
            at = repair_number(at, end, changed);
        } else {
            ++at;
        }
    }
    return changed;
}
