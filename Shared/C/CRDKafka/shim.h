#include <librdkafka/rdkafka.h>
// Tests inject broker errors through it. It must come after rdkafka.h.
#include <librdkafka/rdkafka_mock.h>
