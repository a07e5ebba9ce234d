#include "CPipeWire.h"

#include <spa/pod/builder.h>

int npw_core_add_listener(struct pw_core *core, struct spa_hook *hook, const struct pw_core_events *events, void *data) {
  return pw_core_add_listener(core, hook, events, data);
}
int npw_core_sync(struct pw_core *core, uint32_t id, int sequence) { return pw_core_sync(core, id, sequence); }
struct pw_registry *npw_core_get_registry(struct pw_core *core) { return pw_core_get_registry(core, PW_VERSION_REGISTRY, 0); }
struct pw_proxy *npw_core_create_object(struct pw_core *core, const char *factory, const char *type, uint32_t version,
                                        const struct spa_dict *properties) {
  return pw_core_create_object(core, factory, type, version, properties, 0);
}
int npw_registry_add_listener(struct pw_registry *registry, struct spa_hook *hook, const struct pw_registry_events *events, void *data) {
  return pw_registry_add_listener(registry, hook, events, data);
}
void *npw_registry_bind(struct pw_registry *registry, uint32_t id, const char *type, uint32_t version) {
  return pw_registry_bind(registry, id, type, version, 0);
}
int npw_node_add_listener(struct pw_node *node, struct spa_hook *hook, const struct pw_node_events *events, void *data) {
  return pw_node_add_listener(node, hook, events, data);
}
int npw_link_add_listener(struct pw_link *link, struct spa_hook *hook, const struct pw_link_events *events, void *data) {
  return pw_link_add_listener(link, hook, events, data);
}
int npw_metadata_add_listener(struct pw_metadata *metadata, struct spa_hook *hook, const struct pw_metadata_events *events, void *data) {
  return pw_metadata_add_listener(metadata, hook, events, data);
}
int npw_metadata_set_property(struct pw_metadata *metadata, uint32_t subject, const char *key, const char *type, const char *value) {
  return pw_metadata_set_property(metadata, subject, key, type, value);
}

struct spa_source *npw_loop_add_timer(struct pw_loop *loop, spa_source_timer_func_t function, void *data) {
  return pw_loop_add_timer(loop, function, data);
}
static struct timespec timespec_of(double seconds) {
  struct timespec t = {.tv_sec = (time_t)seconds};
  t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
  return t;
}
int npw_loop_timer_set(struct pw_loop *loop, struct spa_source *timer, double delay, double interval) {
  struct timespec value = timespec_of(delay), repeat = timespec_of(interval);
  return pw_loop_update_timer(loop, timer, &value, &repeat, false);
}
void npw_loop_destroy_source(struct pw_loop *loop, struct spa_source *source) { pw_loop_destroy_source(loop, source); }
struct spa_source *npw_loop_add_event(struct pw_loop *loop, spa_source_event_func_t function, void *data) {
  return pw_loop_add_event(loop, function, data);
}
struct spa_source *npw_loop_add_io(struct pw_loop *loop, int fd, uint32_t mask, spa_source_io_func_t function, void *data) {
  return pw_loop_add_io(loop, fd, mask, false, function, data);
}
int npw_loop_update_io(struct pw_loop *loop, struct spa_source *source, uint32_t mask) { return pw_loop_update_io(loop, source, mask); }
int npw_loop_signal_event(struct pw_loop *loop, struct spa_source *source) { return pw_loop_signal_event(loop, source); }
static int do_nothing(struct spa_loop *loop, bool async, uint32_t sequence, const void *data, size_t size, void *user_data) { return 0; }
void npw_loop_make_queue(struct pw_loop *loop) { pw_loop_invoke(loop, do_nothing, 0, NULL, 0, false, NULL); }

void npw_filter_process(void *data, struct spa_io_position *position) {
  const npw_filter_target *target = data;
  if (!position) return;
  const struct spa_io_clock *clock = &position->clock;
  const npw_cycle cycle = {.position = clock->position,
                           .nsec = clock->nsec,
                           .frames = (uint32_t)clock->duration,
                           .rate = clock->rate.denom,
                           .driver = clock->id};
  target->function(target->data, &cycle);
}

int npw_filter_update_port_latency(struct pw_filter *filter, void *port, const npw_latency *latency) {
  uint8_t buffer[1024];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  struct spa_latency_info info = SPA_LATENCY_INFO((enum spa_direction)latency->direction, .min_quantum = latency->quanta,
                                                  .max_quantum = latency->quanta, .min_rate = latency->frames, .max_rate = latency->frames,
                                                  .min_ns = latency->nanoseconds, .max_ns = latency->nanoseconds);
  const struct spa_pod *params[] = {spa_latency_build(&builder, SPA_PARAM_Latency, &info)};
  return pw_filter_update_params(filter, port, params, 1);
}

int npw_filter_update_process_latency(struct pw_filter *filter, int32_t frames) {
  uint8_t buffer[256];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  struct spa_process_latency_info info = {.rate = frames};
  const struct spa_pod *params[] = {spa_process_latency_build(&builder, SPA_PARAM_ProcessLatency, &info)};
  return pw_filter_update_params(filter, NULL, params, 1);
}
