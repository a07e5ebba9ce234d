#include <spa/param/param.h>
#include <spa/param/profile.h>
#include <spa/pod/builder.h>

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
