#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// A loaded zone. CCTZ keeps every zone for the life of the process; only the handle is ours to free.
typedef struct cz_zone cz_zone;

/// The instant from which `offset` holds, both in seconds.
typedef struct {
    int64_t at;
    int32_t offset;
} cz_transition;

/// Loads one zone file by its absolute path. Returns NULL when there is none or it is damaged.
cz_zone *cz_zone_load(const char *path);
void cz_zone_free(cz_zone *zone);

/// Seconds east of UTC at an instant, as CCTZ itself says.
int32_t cz_zone_offset(const cz_zone *zone, int64_t at);

/// Finds the first transition after `*next`, where CCTZ lists any.
bool cz_zone_next_transition(const cz_zone *zone, int64_t after, cz_transition *next);

#ifdef __cplusplus
}
#endif
