#include "CProfiler.h"

#include <errno.h>
#include <malloc.h>
#include <pipewire/impl.h>

#include <pipewire/extensions/profiler.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <stdio.h>
#include <string.h>

// PipeWire's private enum pw_node_activation state, as reported by the profiler.
enum { NOT_TRIGGERED = 0, FINISHED = 3 };

struct profiler {
  struct pw_thread_loop *loop;
  struct pw_context *context;
  struct pw_core *core;
  struct pw_registry *registry;
  struct pw_proxy *proxy;
  struct spa_hook core_hook, registry_hook, proxy_hook;
  int pending;
  char driver[PROFILER_NAME];
  profiler_counts counts;
};

struct block {
  const char *name;
  int64_t awake, finish;
  int32_t status;
};

static bool read_block(const struct spa_pod *pod, struct block *block) {
  int32_t id;
  int64_t time;
  const int result =
      spa_pod_parse_struct(pod, SPA_POD_Int(&id), SPA_POD_String(&block->name), SPA_POD_Long(&time), SPA_POD_Long(&time),
                           SPA_POD_Long(&block->awake), SPA_POD_Long(&block->finish), SPA_POD_Int(&block->status));
  return result >= 0 && block->name;
}

static profiler_node *node_named(profiler_counts *counts, const char *name) {
  uint32_t k = 0;
  while (k < counts->node_count && strcmp(counts->nodes[k].name, name) != 0) k++;
  if (k == PROFILER_NODES) return NULL;
  if (k == counts->node_count) snprintf(counts->nodes[counts->node_count++].name, PROFILER_NAME, "%s", name);
  return &counts->nodes[k];
}

static void count_node(profiler_counts *counts, const struct block *block) {
  profiler_node *node = node_named(counts, block->name);
  if (!node) return;
  if (block->status == FINISHED) {
    node->finished++;
    const uint64_t busy = (uint64_t)(block->finish - block->awake);
    node->busy += busy;
    if (busy > node->longest) node->longest = busy;
  } else if (block->status != NOT_TRIGGERED) {
    node->late++;
  }
}

static void count_cycle(struct profiler *self, const struct spa_pod_object *cycle) {
  struct spa_pod_prop *property;
  struct block block;
  bool is_ours = false, is_unfinished = false;
  SPA_POD_OBJECT_FOREACH(cycle, property) {
    if (property->key == SPA_PROFILER_driverBlock && read_block(&property->value, &block)) is_ours = strcmp(block.name, self->driver) == 0;
    if (property->key != SPA_PROFILER_followerBlock || !is_ours || !read_block(&property->value, &block)) continue;
    is_unfinished |= block.status != FINISHED;
    count_node(&self->counts, &block);
  }
  if (!is_ours) return;
  self->counts.cycles++;
  self->counts.unfinished += is_unfinished;
}

static void on_profile(void *data, const struct spa_pod *pod) {
  struct spa_pod *cycle;
  SPA_POD_STRUCT_FOREACH(pod, cycle) {
    if (spa_pod_is_object_type(cycle, SPA_TYPE_OBJECT_Profiler)) count_cycle(data, (const struct spa_pod_object *)cycle);
  }
}
static const struct pw_profiler_events profiler_events = {PW_VERSION_PROFILER_EVENTS, .profile = on_profile};

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
  struct profiler *self = data;
  if (strcmp(type, PW_TYPE_INTERFACE_Profiler) != 0 || self->proxy) return;
  self->proxy = pw_registry_bind(self->registry, id, type, PW_VERSION_PROFILER, 0);
  if (self->proxy) pw_proxy_add_object_listener(self->proxy, &self->proxy_hook, &profiler_events, self);
}
static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = on_global};

static void on_done(void *data, uint32_t id, int sequence) {
  struct profiler *self = data;
  if (id == PW_ID_CORE && sequence == self->pending) pw_thread_loop_signal(self->loop, false);
}
static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = on_done};

static bool connect_profiler(struct profiler *self, const char *remote) {
  self->context = pw_context_new(pw_thread_loop_get_loop(self->loop), NULL, 0);
  // The module provides the interface's marshalling.
  if (!self->context || !pw_context_load_module(self->context, PW_EXTENSION_MODULE_PROFILER, NULL, NULL)) return false;
  self->core = pw_context_connect(self->context, pw_properties_new(PW_KEY_REMOTE_NAME, remote, NULL), 0);
  if (!self->core) return false;
  pw_core_add_listener(self->core, &self->core_hook, &core_events, self);
  self->registry = pw_core_get_registry(self->core, PW_VERSION_REGISTRY, 0);
  pw_registry_add_listener(self->registry, &self->registry_hook, &registry_events, self);
  self->pending = pw_core_sync(self->core, PW_ID_CORE, 0);
  if (pw_thread_loop_timed_wait(self->loop, 5) < 0) return false;
  errno = ENOTSUP;
  return self->proxy != NULL;
}

profiler *profiler_start(const char *remote, const char *driver) {
  pw_init(NULL, NULL);
  struct profiler *self = calloc(1, sizeof *self);
  snprintf(self->driver, sizeof self->driver, "%s", driver);
  self->loop = pw_thread_loop_new("profiler", NULL);
  pw_thread_loop_start(self->loop);
  pw_thread_loop_lock(self->loop);
  const bool is_connected = connect_profiler(self, remote);
  const int error = errno;
  pw_thread_loop_unlock(self->loop);
  if (is_connected) return self;
  profiler_stop(self);
  errno = error;
  return NULL;
}

void profiler_take(profiler *self, profiler_counts *counts) {
  pw_thread_loop_lock(self->loop);
  *counts = self->counts;
  memset(&self->counts, 0, sizeof self->counts);
  pw_thread_loop_unlock(self->loop);
}

void profiler_stop(profiler *self) {
  pw_thread_loop_stop(self->loop);
  if (self->proxy) pw_proxy_destroy(self->proxy);
  if (self->registry) pw_proxy_destroy((struct pw_proxy *)self->registry);
  if (self->core) pw_core_disconnect(self->core);
  if (self->context) pw_context_destroy(self->context);
  pw_thread_loop_destroy(self->loop);
  free(self);
}

uint64_t heap_in_use(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}
