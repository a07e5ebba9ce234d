// A SPA plug-in with one node, `simulated.clock`: a driver like support.node.driver, except that it begins no cycle before the last one has
// finished (for up to PATIENCE; then it gives that cycle up), and does not catch up afterwards. If the machine stalls for some milliseconds
// the whole graph stalls with it, so that no sample is lost and recordings are exact. Property clock.speed: 1 is real time, 4 is four times
// as fast.
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spa/node/io.h>
#include <spa/node/keys.h>
#include <spa/node/node.h>
#include <spa/node/utils.h>
#include <spa/support/loop.h>
#include <spa/support/plugin.h>
#include <spa/support/system.h>
#include <spa/utils/names.h>
#include <spa/utils/string.h>

#define PATIENCE (200 * SPA_NSEC_PER_MSEC)
#define RETRY (100 * SPA_NSEC_PER_USEC)

struct clock_node {
  struct spa_handle handle;
  struct spa_node node;
  struct spa_node_info info;
  struct spa_hook_list hooks;
  struct spa_callbacks callbacks;
  struct spa_loop *loop;
  struct spa_system *system;
  struct spa_io_position *position;
  struct spa_io_clock *clock;
  struct spa_source timer;
  double speed;
  bool started;
  bool finished;   // whether the last cycle has ended
  uint64_t begun;  // when it began, CLOCK_MONOTONIC, ns
  uint64_t next;   // when the next one is due
};

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return SPA_TIMESPEC_TO_NSEC(&t);
}

// Wakes the node at `time`; never if it is 0.
static void arm(struct clock_node *self, uint64_t time) {
  struct itimerspec t = {.it_value = {time / SPA_NSEC_PER_SEC, time % SPA_NSEC_PER_SEC}};
  spa_system_timerfd_settime(self->system, self->timer.fd, SPA_FD_TIMER_ABSTIME, &t, NULL);
}

static void on_timer(struct spa_source *source) {
  struct clock_node *self = source->data;
  uint64_t expirations, time = now();
  if (spa_system_timerfd_read(self->system, self->timer.fd, &expirations) < 0) return;
  if (!self->finished && time < self->begun + PATIENCE) {
    arm(self, time + RETRY);
    return;
  }
  uint64_t duration = self->position ? self->position->clock.duration : 1024;
  uint32_t rate = self->position ? self->position->clock.rate.denom : 48000;
  uint64_t period = duration * SPA_NSEC_PER_SEC / rate / self->speed;
  bool is_late = time > self->next + period / 2;
  uint64_t begin = is_late ? time : self->next;
  self->next = begin + period;
  self->begun = time;
  self->finished = false;
  if (self->clock) {
    self->clock->nsec = begin;
    self->clock->position += duration;
    self->clock->duration = duration;
    self->clock->delay = 0;
    self->clock->rate_diff = 1.0;
    self->clock->next_nsec = self->next;
  }
  spa_node_call_ready(&self->callbacks, SPA_STATUS_HAVE_DATA | SPA_STATUS_NEED_DATA);
  arm(self, self->next);
}

// A driver is the last node of its cycle to be processed.
static int process(void *object) {
  ((struct clock_node *)object)->finished = true;
  return SPA_STATUS_HAVE_DATA | SPA_STATUS_NEED_DATA;
}

static int set_io(void *object, uint32_t id, void *data, size_t size) {
  struct clock_node *self = object;
  switch (id) {
    case SPA_IO_Clock:
      self->clock = data;
      if (data) snprintf(self->clock->name, sizeof self->clock->name, "clock.system.monotonic");
      return 0;
    case SPA_IO_Position:
      self->position = data;
      return 0;
  }
  return -ENOENT;
}

static int send_command(void *object, const struct spa_command *command) {
  struct clock_node *self = object;
  switch (SPA_NODE_COMMAND_ID(command)) {
    case SPA_NODE_COMMAND_Start:
      if (self->started) return 0;
      self->started = self->finished = true;
      self->next = now();
      arm(self, self->next);
      return 0;
    case SPA_NODE_COMMAND_Suspend:
    case SPA_NODE_COMMAND_Pause:
      self->started = false;
      arm(self, 0);
      return 0;
  }
  return -ENOTSUP;
}

static int set_callbacks(void *object, const struct spa_node_callbacks *callbacks, void *data) {
  ((struct clock_node *)object)->callbacks = SPA_CALLBACKS_INIT(callbacks, data);
  return 0;
}

static int add_listener(void *object, struct spa_hook *listener, const struct spa_node_events *events, void *data) {
  static const struct spa_dict_item items[] = {{SPA_KEY_NODE_DRIVER, "true"}};
  struct clock_node *self = object;
  struct spa_dict properties = SPA_DICT_INIT_ARRAY(items);
  struct spa_hook_list others;
  spa_hook_list_isolate(&self->hooks, &others, listener, events, data);
  self->info.change_mask = SPA_NODE_CHANGE_MASK_FLAGS | SPA_NODE_CHANGE_MASK_PROPS;
  self->info.props = &properties;
  spa_node_emit_info(&self->hooks, &self->info);
  self->info.props = NULL;
  self->info.change_mask = 0;
  spa_hook_list_join(&self->hooks, &others);
  return 0;
}

static const struct spa_node_methods methods = {
    SPA_VERSION_NODE_METHODS, .add_listener = add_listener, .set_callbacks = set_callbacks,
    .set_io = set_io,         .send_command = send_command, .process = process,
};

static int get_interface(struct spa_handle *handle, const char *type, void **interface) {
  if (!spa_streq(type, SPA_TYPE_INTERFACE_Node)) return -ENOENT;
  *interface = &((struct clock_node *)handle)->node;
  return 0;
}

static int remove_timer(struct spa_loop *loop, bool async, uint32_t seq, const void *data, size_t size, void *user) {
  return spa_loop_remove_source(loop, &((struct clock_node *)user)->timer);
}

static int clear(struct spa_handle *handle) {
  struct clock_node *self = (struct clock_node *)handle;
  spa_loop_invoke(self->loop, remove_timer, 0, NULL, 0, true, self);
  return spa_system_close(self->system, self->timer.fd);
}

static size_t get_size(const struct spa_handle_factory *factory, const struct spa_dict *params) { return sizeof(struct clock_node); }

static int init(const struct spa_handle_factory *factory, struct spa_handle *handle, const struct spa_dict *info,
                const struct spa_support *support, uint32_t n_support) {
  struct clock_node *self = (struct clock_node *)handle;
  const char *speed = info ? spa_dict_lookup(info, "clock.speed") : NULL;
  self->handle.get_interface = get_interface;
  self->handle.clear = clear;
  self->speed = speed ? strtod(speed, NULL) : 1;
  if (!(self->speed > 0)) return -EINVAL;
  self->loop = spa_support_find(support, n_support, SPA_TYPE_INTERFACE_DataLoop);
  self->system = spa_support_find(support, n_support, SPA_TYPE_INTERFACE_DataSystem);
  if (!self->loop || !self->system) return -EINVAL;
  spa_hook_list_init(&self->hooks);
  self->node.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Node, SPA_VERSION_NODE, &methods, self);
  self->info = SPA_NODE_INFO_INIT();
  self->info.flags = SPA_NODE_FLAG_RT;
  self->timer = (struct spa_source){
      .func = on_timer,
      .data = self,
      .mask = SPA_IO_IN,
      .fd = spa_system_timerfd_create(self->system, CLOCK_MONOTONIC, SPA_FD_CLOEXEC | SPA_FD_NONBLOCK),
  };
  return spa_loop_add_source(self->loop, &self->timer);
}

static int enum_interfaces(const struct spa_handle_factory *factory, const struct spa_interface_info **info, uint32_t *index) {
  static const struct spa_interface_info interfaces[] = {{SPA_TYPE_INTERFACE_Node}};
  if (*index >= SPA_N_ELEMENTS(interfaces)) return 0;
  *info = &interfaces[(*index)++];
  return 1;
}

static const struct spa_handle_factory factory = {
    SPA_VERSION_HANDLE_FACTORY, "simulated.clock", NULL, get_size, init, enum_interfaces,
};

SPA_EXPORT int spa_handle_factory_enum(const struct spa_handle_factory **result, uint32_t *index) {
  if (*index > 0) return 0;
  *result = &factory;
  *index += 1;
  return 1;
}
