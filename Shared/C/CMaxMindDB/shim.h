#pragma once
#include <maxminddb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// Finds the record of an address given as 16 bytes (IPv4 mapped to `::ffff:0:0/96`).
///
/// Returns false when there is none, when the file has only IPv4, or when it is damaged there.
static inline bool geo_find(const MMDB_s *database, const uint8_t *address, bool is_v4, uint32_t *offset) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    const struct sockaddr *socket_address;
    if (is_v4) {
        memset(&v4, 0, sizeof(v4));
        v4.sin_family = AF_INET;
        memcpy(&v4.sin_addr, address + 12, 4);
        socket_address = (const struct sockaddr *)&v4;
    } else {
        memset(&v6, 0, sizeof(v6));
        v6.sin6_family = AF_INET6;
        memcpy(&v6.sin6_addr, address, 16);
        socket_address = (const struct sockaddr *)&v6;
    }
    int error = MMDB_SUCCESS;
    const MMDB_lookup_result_s result = MMDB_lookup_sockaddr(database, socket_address, &error);
    *offset = result.entry.offset;
    return error == MMDB_SUCCESS && result.found_entry;
}

/// Lends the text at a NULL-terminated path of map keys; NULL when there is no text there.
///
/// Not NUL-terminated: it ends after `*length` bytes, in the mapped file.
static inline const char *geo_text(
    const MMDB_s *database, uint32_t offset, const char *const *path, uint32_t *length) {
    MMDB_entry_s entry = {database, offset};
    MMDB_entry_data_s data;
    if (MMDB_aget_value(&entry, &data, path) != MMDB_SUCCESS) { return NULL; }
    if (!data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING) { return NULL; }
    *length = data.data_size;
    return data.utf8_string;
}

/// `country.iso_code`.
static inline const char *geo_country(const MMDB_s *database, uint32_t offset, uint32_t *length) {
    const char *const path[] = {"country", "iso_code", NULL};
    return geo_text(database, offset, path, length);
}

/// `city.names.en`.
static inline const char *geo_city(const MMDB_s *database, uint32_t offset, uint32_t *length) {
    const char *const path[] = {"city", "names", "en", NULL};
    return geo_text(database, offset, path, length);
}
