#include "CSimulatedDevice.h"

#include <errno.h>
#include <pipewire/properties.h>
#include <spa/monitor/device.h>
#include <spa/monitor/utils.h>
#include <spa/param/audio/raw.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/filter.h>
#include <spa/pod/parser.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMS 64
#define MAX_POD 4096

struct param {
  uint32_t id;
  struct spa_pod *pod;
};
struct param_set {
  struct param items[MAX_PARAMS];
  uint32_t count;
};

enum { ENUM_PROFILE, PROFILE, ENUM_ROUTE, ROUTE, KINDS };

struct csd_device {
  struct spa_device device;
  struct spa_hook_list hooks;
  struct spa_device_info info;
  struct spa_param_info kinds[KINDS];
  struct pw_properties *properties;
  bool has_new_properties;
  struct param_set current, next;
  const csd_requests *requests;
  void *data;
};

static void clear(struct param_set *set) {
  for (uint32_t k = 0; k < set->count; k++) free(set->items[k].pod);
  set->count = 0;
}

static const struct param *find(const struct param_set *set, uint32_t id, uint32_t number) {
  for (uint32_t k = 0; k < set->count; k++)
    if (set->items[k].id == id && number-- == 0) return &set->items[k];
  return NULL;
}

static bool is_equal(const struct param_set *a, const struct param_set *b, uint32_t id) {
  for (uint32_t number = 0;; number++) {
    const struct param *p = find(a, id, number), *q = find(b, id, number);
    if (!p || !q) return p == q;
    if (SPA_POD_SIZE(p->pod) != SPA_POD_SIZE(q->pod) || memcmp(p->pod, q->pod, SPA_POD_SIZE(p->pod)) != 0) return false;
  }
}

static void emit_info(struct csd_device *this, uint64_t mask) {
  this->info.change_mask = mask;
  this->info.props = &this->properties->dict;
  spa_device_emit_info(&this->hooks, &this->info);
  this->info.change_mask = 0;
}

static int add_listener(void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
  struct csd_device *this = object;
  struct spa_hook_list saved;
  spa_hook_list_isolate(&this->hooks, &saved, listener, events, data);
  emit_info(this, SPA_DEVICE_CHANGE_MASK_PROPS | SPA_DEVICE_CHANGE_MASK_PARAMS);
  spa_hook_list_join(&this->hooks, &saved);
  return 0;
}

static int synchronize(void *object, int sequence) {
  struct csd_device *this = object;
  spa_device_emit_result(&this->hooks, sequence, 0, 0, NULL);
  return 0;
}

static int enum_params(void *object, int sequence, uint32_t id, uint32_t index, uint32_t max, const struct spa_pod *filter) {
  struct csd_device *this = object;
  for (uint32_t told = 0; told < max; index++) {
    const struct param *param = find(&this->current, id, index);
    if (!param) break;
    uint8_t buffer[MAX_POD];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_result_device_params result = {.id = id, .index = index, .next = index + 1};
    if (spa_pod_filter(&builder, &result.param, param->pod, filter) < 0) continue;
    spa_device_emit_result(&this->hooks, sequence, 0, SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
    told++;
  }
  return 0;
}

static void set_volume(struct csd_device *this, int32_t device, const struct spa_pod *props) {
  float volume = -1;
  int32_t mute = -1;
  const struct spa_pod_prop *prop;
  if (!spa_pod_is_object(props)) return;
  SPA_POD_OBJECT_FOREACH((struct spa_pod_object *)props, prop) {
    bool flag;
    float volumes[SPA_AUDIO_MAX_CHANNELS];
    if (prop->key == SPA_PROP_mute && spa_pod_get_bool(&prop->value, &flag) == 0) mute = flag;
    if (prop->key == SPA_PROP_channelVolumes &&
        spa_pod_copy_array(&prop->value, SPA_TYPE_Float, volumes, SPA_AUDIO_MAX_CHANNELS) > 0)
      volume = volumes[0];
  }
  this->requests->set_volume(this->data, device, volume, mute);
}

static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *param) {
  struct csd_device *this = object;
  int32_t index, device;
  bool save = false;
  struct spa_pod *props = NULL;
  int result;
  (void)flags;
  if (!param) return -EINVAL;
  switch (id) {
    case SPA_PARAM_Profile:
      if ((result = spa_pod_parse_object(param, SPA_TYPE_OBJECT_ParamProfile, NULL, SPA_PARAM_PROFILE_index, SPA_POD_Int(&index),
                                         SPA_PARAM_PROFILE_save, SPA_POD_OPT_Bool(&save))) < 0)
        return result;
      return this->requests->set_profile(this->data, index, save);
    case SPA_PARAM_Route:
      if ((result = spa_pod_parse_object(param, SPA_TYPE_OBJECT_ParamRoute, NULL, SPA_PARAM_ROUTE_index, SPA_POD_Int(&index),
                                         SPA_PARAM_ROUTE_device, SPA_POD_Int(&device), SPA_PARAM_ROUTE_props,
                                         SPA_POD_OPT_PodObject(&props), SPA_PARAM_ROUTE_save, SPA_POD_OPT_Bool(&save))) < 0)
        return result;
      // Before the route, so that its publication includes both.
      if (props) set_volume(this, device, props);
      return this->requests->set_route(this->data, index, device, save);
    default: return -ENOENT;
  }
}

static const struct spa_device_methods methods = {
    .version = SPA_VERSION_DEVICE_METHODS,
    .add_listener = add_listener,
    .sync = synchronize,
    .enum_params = enum_params,
    .set_param = set_param,
};

csd_device *csd_new(const csd_requests *requests) {
  struct csd_device *this = calloc(1, sizeof *this);
  if (!this) return NULL;
  this->requests = requests;
  this->device.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &methods, this);
  spa_hook_list_init(&this->hooks);
  this->kinds[ENUM_PROFILE] = SPA_PARAM_INFO(SPA_PARAM_EnumProfile, SPA_PARAM_INFO_READ);
  this->kinds[PROFILE] = SPA_PARAM_INFO(SPA_PARAM_Profile, SPA_PARAM_INFO_READWRITE);
  this->kinds[ENUM_ROUTE] = SPA_PARAM_INFO(SPA_PARAM_EnumRoute, SPA_PARAM_INFO_READ);
  this->kinds[ROUTE] = SPA_PARAM_INFO(SPA_PARAM_Route, SPA_PARAM_INFO_READWRITE);
  this->info = SPA_DEVICE_INFO_INIT();
  this->info.params = this->kinds;
  this->info.n_params = KINDS;
  this->properties = pw_properties_new(NULL, NULL);
  return this;
}

void csd_free(csd_device *this) {
  spa_hook_list_clean(&this->hooks);
  clear(&this->current);
  clear(&this->next);
  pw_properties_free(this->properties);
  free(this);
}

void csd_set_data(csd_device *this, void *data) { this->data = data; }

void *csd_implementation(csd_device *this) { return &this->device; }

void csd_begin(csd_device *this) { clear(&this->next); }

static void add(struct csd_device *this, uint32_t id, const struct spa_pod *pod) {
  if (!pod || this->next.count == MAX_PARAMS) return;
  this->next.items[this->next.count++] = (struct param){.id = id, .pod = spa_pod_copy(pod)};
}

static void add_class(struct spa_pod_builder *b, const char *name, csd_list devices) {
  if (devices.count == 0) return;
  spa_pod_builder_add_struct(b, SPA_POD_String(name), SPA_POD_Int(devices.count), SPA_POD_String("card.profile.devices"),
                             SPA_POD_Array(sizeof(int32_t), SPA_TYPE_Int, devices.count, devices.values));
}

static void add_one_profile(csd_device *this, uint32_t id, const csd_profile *p, csd_list sources, csd_list sinks, bool is_saved) {
  uint8_t buffer[MAX_POD];
  struct spa_pod_builder b = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  struct spa_pod_frame object, classes;
  spa_pod_builder_push_object(&b, &object, SPA_TYPE_OBJECT_ParamProfile, id);
  spa_pod_builder_add(&b, SPA_PARAM_PROFILE_index, SPA_POD_Int(p->index), SPA_PARAM_PROFILE_name, SPA_POD_String(p->name),
                      SPA_PARAM_PROFILE_description, SPA_POD_String(p->description), SPA_PARAM_PROFILE_priority,
                      SPA_POD_Int(p->priority), SPA_PARAM_PROFILE_available, SPA_POD_Id(p->availability), 0);
  spa_pod_builder_prop(&b, SPA_PARAM_PROFILE_classes, 0);
  spa_pod_builder_push_struct(&b, &classes);
  spa_pod_builder_int(&b, (sources.count > 0) + (sinks.count > 0));
  add_class(&b, "Audio/Source", sources);
  add_class(&b, "Audio/Sink", sinks);
  spa_pod_builder_pop(&b, &classes);
  if (id == SPA_PARAM_Profile) {
    spa_pod_builder_prop(&b, SPA_PARAM_PROFILE_save, 0);
    spa_pod_builder_bool(&b, is_saved);
  }
  add(this, id, spa_pod_builder_pop(&b, &object));
}

void csd_add_profile(csd_device *this, const csd_profile *p, csd_list sources, csd_list sinks, bool is_active, bool is_saved) {
  add_one_profile(this, SPA_PARAM_EnumProfile, p, sources, sinks, false);
  if (is_active) add_one_profile(this, SPA_PARAM_Profile, p, sources, sinks, is_saved);
}

static void add_list(struct spa_pod_builder *b, uint32_t key, csd_list list) {
  spa_pod_builder_prop(b, key, 0);
  spa_pod_builder_array(b, sizeof(int32_t), SPA_TYPE_Int, list.count, list.values);
}

static void add_route_props(struct spa_pod_builder *b, uint32_t id, const csd_activity *a) {
  struct spa_pod_frame object;
  float volumes[SPA_AUDIO_MAX_CHANNELS];
  uint32_t map[SPA_AUDIO_MAX_CHANNELS] = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR};
  const uint32_t channels = a->channels == 2 ? 2 : 1;
  if (channels == 1) map[0] = SPA_AUDIO_CHANNEL_MONO;
  for (uint32_t k = 0; k < channels; k++) volumes[k] = a->volume;
  spa_pod_builder_prop(b, SPA_PARAM_ROUTE_props, 0);
  spa_pod_builder_push_object(b, &object, SPA_TYPE_OBJECT_Props, id);
  spa_pod_builder_prop(b, SPA_PROP_mute, 0);
  spa_pod_builder_bool(b, a->is_muted);
  spa_pod_builder_prop(b, SPA_PROP_channelVolumes, 0);
  spa_pod_builder_array(b, sizeof(float), SPA_TYPE_Float, channels, volumes);
  spa_pod_builder_prop(b, SPA_PROP_channelMap, 0);
  spa_pod_builder_array(b, sizeof(uint32_t), SPA_TYPE_Id, channels, map);
  spa_pod_builder_pop(b, &object);
}

void csd_add_route(csd_device *this, const csd_route *r, csd_list profiles, csd_list devices, const csd_activity *a) {
  const uint32_t id = a ? SPA_PARAM_Route : SPA_PARAM_EnumRoute;
  uint8_t buffer[MAX_POD];
  struct spa_pod_builder b = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  struct spa_pod_frame object, info;
  spa_pod_builder_push_object(&b, &object, SPA_TYPE_OBJECT_ParamRoute, id);
  spa_pod_builder_add(&b, SPA_PARAM_ROUTE_index, SPA_POD_Int(r->index), SPA_PARAM_ROUTE_direction, SPA_POD_Id(r->direction),
                      SPA_PARAM_ROUTE_name, SPA_POD_String(r->name), SPA_PARAM_ROUTE_description, SPA_POD_String(r->description),
                      SPA_PARAM_ROUTE_priority, SPA_POD_Int(r->priority), SPA_PARAM_ROUTE_available, SPA_POD_Id(r->availability), 0);
  spa_pod_builder_prop(&b, SPA_PARAM_ROUTE_info, SPA_POD_PROP_FLAG_HINT_DICT);
  spa_pod_builder_push_struct(&b, &info);
  spa_pod_builder_int(&b, 1);
  spa_pod_builder_add(&b, SPA_POD_String("port.type"), SPA_POD_String(r->port_type), NULL);
  spa_pod_builder_pop(&b, &info);
  add_list(&b, SPA_PARAM_ROUTE_profiles, profiles);
  if (a) {
    spa_pod_builder_prop(&b, SPA_PARAM_ROUTE_device, 0);
    spa_pod_builder_int(&b, a->device);
    add_route_props(&b, id, a);
  }
  add_list(&b, SPA_PARAM_ROUTE_devices, devices);
  if (a) {
    spa_pod_builder_prop(&b, SPA_PARAM_ROUTE_profile, 0);
    spa_pod_builder_int(&b, a->profile);
    spa_pod_builder_prop(&b, SPA_PARAM_ROUTE_save, 0);
    spa_pod_builder_bool(&b, a->is_saved);
  }
  add(this, id, spa_pod_builder_pop(&b, &object));
}

void csd_set_property(csd_device *this, const char *key, const char *value) {
  if (pw_properties_set(this->properties, key, value) > 0) this->has_new_properties = true;
}

void csd_publish(csd_device *this) {
  uint64_t mask = this->has_new_properties ? SPA_DEVICE_CHANGE_MASK_PROPS : 0;
  this->has_new_properties = false;
  for (uint32_t k = 0; k < KINDS; k++) {
    if (is_equal(&this->current, &this->next, this->kinds[k].id)) continue;
    this->kinds[k].flags ^= SPA_PARAM_INFO_SERIAL;
    mask |= SPA_DEVICE_CHANGE_MASK_PARAMS;
  }
  clear(&this->current);
  this->current = this->next;
  this->next.count = 0;
  if (mask != 0) emit_info(this, mask);
}
