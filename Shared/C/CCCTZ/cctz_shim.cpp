#include "cctz_shim.h"

#include <cctz/time_zone.h>
#include <chrono>
#include <new>
#include <string>

struct cz_zone {
    cctz::time_zone zone;
};

namespace {

using instant = cctz::time_point<cctz::seconds>;

instant from_unix(int64_t seconds) { return instant(cctz::seconds(seconds)); }
int64_t to_unix(instant at) { return at.time_since_epoch().count(); }

}  // namespace

cz_zone *cz_zone_load(const char *path) {
    try {
        cctz::time_zone zone;
        // The prefix keeps CCTZ from looking at the environment for another directory.
        if (!cctz::load_time_zone(std::string("file:") + path, &zone)) { return nullptr; }
        return new cz_zone{zone};
    } catch (const std::exception &) {
        return nullptr;
    }
}

void cz_zone_free(cz_zone *zone) { delete zone; }

int32_t cz_zone_offset(const cz_zone *zone, int64_t at) {
    return zone->zone.lookup(from_unix(at)).offset;
}

bool cz_zone_next_transition(const cz_zone *zone, int64_t after, cz_transition *next) {
    cctz::time_zone::civil_transition transition;
    if (!zone->zone.next_transition(from_unix(after), &transition)) { return false; }
    // `to` is the first local second after the change: unique after a gap, and after a fall the second of
    // its two instants. Where nothing but the name changed, all three instants are equal.
    next->at = to_unix(zone->zone.lookup(transition.to).trans);
    next->offset = cz_zone_offset(zone, next->at);
    return true;
}
