#include <spa/param/param.h>
#include <spa/param/profile.h>
#include <spa/param/route.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <string.h>

#include "CPipeWire.h"

int npw_device_add_listener(struct pw_device *device, struct spa_hook *hook, const struct pw_device_events *events, void *data) {
  return pw_device_add_listener(device, hook, events, data);
}
int npw_device_enum_params(struct pw_device *device, uint32_t id) { return pw_device_enum_params(device, 0, id, 0, UINT32_MAX, NULL); }

int npw_device_set_profile(struct pw_device *device, int32_t index) {
  uint8_t buffer[256];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  const struct spa_pod *param =
      spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamProfile, SPA_PARAM_Profile, SPA_PARAM_PROFILE_index, SPA_POD_Int(index),
                                 SPA_PARAM_PROFILE_save, SPA_POD_Bool(false));
  return pw_device_set_param(device, SPA_PARAM_Profile, 0, param);
}

static npw_list list_of(const struct spa_pod *pod) {
  npw_list list = {0};
  uint32_t count = 0;
  if (!pod || !spa_pod_is_array(pod) || SPA_POD_ARRAY_VALUE_TYPE(pod) != SPA_TYPE_Int) return list;
  list.values = spa_pod_get_array(pod, &count);
  list.count = count;
  return list;
}

// The struct begins with a count, then key, value, key, value, …
static const char *lookup(const struct spa_pod *info, const char *wanted) {
  const struct spa_pod *pod;
  const char *text, *key = NULL;
  if (!info || !spa_pod_is_struct(info)) return NULL;
  SPA_POD_STRUCT_FOREACH(info, pod) {
    if (spa_pod_get_string(pod, &text) < 0) continue;
    if (!key) {
      key = text;
      continue;
    }
    if (strcmp(key, wanted) == 0) return text;
    key = NULL;
  }
  return NULL;
}

bool npw_profile_read(const struct spa_pod *param, npw_profile *profile) {
  *profile = (npw_profile){0};
  if (!param) return false;
  return spa_pod_parse_object(param, SPA_TYPE_OBJECT_ParamProfile, NULL, SPA_PARAM_PROFILE_index, SPA_POD_Int(&profile->index),
                              SPA_PARAM_PROFILE_name, SPA_POD_String(&profile->name), SPA_PARAM_PROFILE_priority,
                              SPA_POD_OPT_Int(&profile->priority), SPA_PARAM_PROFILE_available,
                              SPA_POD_OPT_Id(&profile->availability)) >= 0;
}

bool npw_route_read(const struct spa_pod *param, npw_route *route) {
  const struct spa_pod *info = NULL, *profiles = NULL, *devices = NULL, *props = NULL;
  npw_volume volume;
  *route = (npw_route){.device = -1};
  if (!param) return false;
  if (spa_pod_parse_object(param, SPA_TYPE_OBJECT_ParamRoute, NULL, SPA_PARAM_ROUTE_index, SPA_POD_Int(&route->index),
                           SPA_PARAM_ROUTE_direction, SPA_POD_Id(&route->direction), SPA_PARAM_ROUTE_name, SPA_POD_String(&route->name),
                           SPA_PARAM_ROUTE_description, SPA_POD_OPT_String(&route->description), SPA_PARAM_ROUTE_available,
                           SPA_POD_OPT_Id(&route->availability), SPA_PARAM_ROUTE_info, SPA_POD_OPT_Pod(&info), SPA_PARAM_ROUTE_device,
                           SPA_POD_OPT_Int(&route->device), SPA_PARAM_ROUTE_profiles, SPA_POD_OPT_Pod(&profiles), SPA_PARAM_ROUTE_devices,
                           SPA_POD_OPT_Pod(&devices), SPA_PARAM_ROUTE_props, SPA_POD_OPT_Pod(&props)) < 0)
    return false;
  route->port_type = lookup(info, "port.type");
  route->profiles = list_of(profiles);
  route->devices = list_of(devices);
  route->is_muted = npw_volume_read(props, &volume) && volume.is_muted;
  return true;
}
