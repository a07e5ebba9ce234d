// The parts of libpipewire and SPA that Swift cannot import: interface calls are variadic macros, pods are built and read by macros, and
// the process callback's position is unpacked here so that no C type appears in the Swift API. Swift calls everything else directly.
#pragma once
#include <pipewire/pipewire.h>

#include <pipewire/device.h>
#include <pipewire/extensions/metadata.h>
#include <pipewire/filter.h>
#include <spa/param/latency-utils.h>
#include <spa/param/profile.h>
#include <spa/param/props.h>
#include <spa/param/route.h>
#include <string.h>
#include <time.h>

#include "CRealtime.h"

// Interface calls: functions like `pw_core_sync(core, …)` expand to spa_interface_call_method, a statement-expression macro.
int npw_core_add_listener(struct pw_core *core, struct spa_hook *hook, const struct pw_core_events *events, void *data);
int npw_core_sync(struct pw_core *core, uint32_t id, int sequence);
struct pw_registry *npw_core_get_registry(struct pw_core *core);
struct pw_proxy *npw_core_create_object(struct pw_core *core, const char *factory, const char *type, uint32_t version,
                                        const struct spa_dict *properties);
int npw_registry_add_listener(struct pw_registry *registry, struct spa_hook *hook, const struct pw_registry_events *events, void *data);
void *npw_registry_bind(struct pw_registry *registry, uint32_t id, const char *type, uint32_t version);
int npw_node_add_listener(struct pw_node *node, struct spa_hook *hook, const struct pw_node_events *events, void *data);
int npw_link_add_listener(struct pw_link *link, struct spa_hook *hook, const struct pw_link_events *events, void *data);
int npw_metadata_add_listener(struct pw_metadata *metadata, struct spa_hook *hook, const struct pw_metadata_events *events, void *data);
int npw_metadata_set_property(struct pw_metadata *metadata, uint32_t subject, const char *key, const char *type, const char *value);

// pw_loop's methods are macros, too. `npw_loop_timer_set`: seconds, first after `delay`, then every `interval` (0: once; delay 0: disarm).
struct spa_source *npw_loop_add_timer(struct pw_loop *loop, spa_source_timer_func_t function, void *data);
int npw_loop_timer_set(struct pw_loop *loop, struct spa_source *timer, double delay, double interval);
void npw_loop_destroy_source(struct pw_loop *loop, struct spa_source *source);
struct spa_source *npw_loop_add_event(struct pw_loop *loop, spa_source_event_func_t function, void *data);
// `mask`: SPA_IO_* of spa/support/loop.h, which have poll's values. The caller keeps the descriptor.
struct spa_source *npw_loop_add_io(struct pw_loop *loop, int fd, uint32_t mask, spa_source_io_func_t function, void *data);
int npw_loop_update_io(struct pw_loop *loop, struct spa_source *source, uint32_t mask);
int npw_loop_signal_event(struct pw_loop *loop, struct spa_source *source);
// Has a loop whose thread does not run yet make a queue for invocations, which it keeps.
void npw_loop_make_queue(struct pw_loop *loop);

// The process trampoline. `struct spa_io_position` differs between PipeWire's versions; these are the fields that nearend uses.
typedef struct npw_cycle {
  uint64_t position;  // the driver's clock at the start of the cycle, in frames
  uint64_t nsec;      // CLOCK_MONOTONIC at the start of the cycle
  uint32_t frames;    // the quantum
  uint32_t rate;      // frames per second
  uint32_t driver;    // id of the driver's node
} npw_cycle;
typedef void (*npw_process_function)(void *data, const npw_cycle *cycle);
typedef struct npw_filter_target {
  npw_process_function function;
  void *data;   // passed to the function
  void *owner;  // the Swift object that receives the other events
} npw_filter_target;
// A pw_filter_events.process whose data is an npw_filter_target.
void npw_filter_process(void *target, struct spa_io_position *position);

// Returns the DSP buffer of one port in this cycle; NULL if the port has no link.
static inline NEAREND_REALTIME float *npw_filter_dsp_buffer(void *port, uint32_t frames) {
  return (float *)pw_filter_get_dsp_buffer(port, frames);
}
// Copies this cycle's samples of an input port, followed by silence if its buffer is shorter; returns false if the port has no link. The
// head of the buffer, which peers write, is read once and checked against the buffer's size, which the daemon sets.
static inline NEAREND_REALTIME bool npw_filter_copy_input(void *port, float *target, uint32_t frames) {
  struct pw_buffer *buffer = pw_filter_dequeue_buffer(port);
  if (!buffer) return false;
  const struct spa_buffer *samples = buffer->buffer;
  const bool is_there = samples && samples->n_datas > 0 && samples->datas[0].data;
  if (is_there) {
    const struct spa_data *data = &samples->datas[0];
    const uint32_t wanted = frames * (uint32_t)sizeof(float);
    const uint32_t said = data->chunk ? __atomic_load_n(&data->chunk->offset, __ATOMIC_RELAXED) : 0;
    const uint32_t offset = SPA_MIN(said, data->maxsize), size = SPA_MIN(data->maxsize - offset, wanted);
    memcpy(target, SPA_PTROFF(data->data, offset, void), size);
    memset(SPA_PTROFF(target, size, void), 0, wanted - size);
  }
  pw_filter_queue_buffer(port, buffer);
  return is_there;
}
// Returns this cycle's buffer of an output port, to be filled completely; NULL if the port has no link, or a link whose buffers are too
// short: those stay empty.
static inline NEAREND_REALTIME float *npw_filter_output_buffer(void *port, uint32_t frames) {
  struct pw_buffer *buffer = pw_filter_dequeue_buffer(port);
  if (!buffer) return NULL;
  const struct spa_buffer *samples = buffer->buffer;
  float *target = NULL;
  if (samples && samples->n_datas > 0 && samples->datas[0].chunk) {
    const struct spa_data *data = &samples->datas[0];
    const uint32_t wanted = frames * (uint32_t)sizeof(float);
    if (data->data && data->maxsize >= wanted) target = data->data;
    *data->chunk = (struct spa_chunk){.size = target ? wanted : 0, .stride = sizeof(float)};
  }
  pw_filter_queue_buffer(port, buffer);
  return target;
}
// CLOCK_MONOTONIC in ns, through the vDSO: no system call.
static inline NEAREND_REALTIME uint64_t npw_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Latency pods (V5, V8).
typedef struct npw_latency {
  uint32_t direction;  // SPA_DIRECTION_INPUT or SPA_DIRECTION_OUTPUT
  float quanta;
  int32_t frames;
  int64_t nanoseconds;
} npw_latency;
// Reports the latency of a port; `latency` is that reported by the other side of the node. Returns 0, or a negative errno.
int npw_filter_update_port_latency(struct pw_filter *filter, void *port, const npw_latency *latency);
int npw_filter_update_process_latency(struct pw_filter *filter, int32_t frames);

// Parameters: named values in a node's Props, described by its PropInfo (O2).
typedef enum npw_parameter_kind { NPW_PARAMETER_BOOL, NPW_PARAMETER_NUMBER, NPW_PARAMETER_TEXT } npw_parameter_kind;
typedef struct npw_parameter {
  const char *name;
  const char *description;
  npw_parameter_kind kind;
  double number;            // for a bool: 0 or 1
  const char *text;         // for a text
  double minimum, maximum;  // equal for no range
} npw_parameter;
// Replaces all published parameters. Returns 0, or a negative errno.
int npw_filter_publish_parameters(struct pw_filter *filter, const npw_parameter *parameters, uint32_t count);
// Returns the name of a key of Props, "volume"; NULL if SPA has none.
const char *npw_props_key_name(uint32_t key);

// Devices: the params with a card's profiles and routes.
int npw_device_add_listener(struct pw_device *device, struct spa_hook *hook, const struct pw_device_events *events, void *data);
// Requests all params of an id; they arrive one by one, none for an empty list.
int npw_device_enum_params(struct pw_device *device, uint32_t id);
// Not saved, so session managers do not remember it.
int npw_device_set_profile(struct pw_device *device, int32_t index);

// A node's volumes (D1, D3).
// Subscribes to the node's Props; the current ones are reported first.
int npw_node_subscribe_props(struct pw_node *node);
// Sets the volumes that are heard instead of the set ones, until somebody sets volume or mute. Session managers remember the set volumes,
// but not these.
int npw_node_set_soft_volumes(struct pw_node *node, const float *channels, uint32_t count, bool is_muted);
int npw_node_set_mute(struct pw_node *node, bool is_muted);
// Suspends the device of a node without links; the next link resumes it. Returns 0, or a negative errno.
int npw_node_suspend(struct pw_node *node);
