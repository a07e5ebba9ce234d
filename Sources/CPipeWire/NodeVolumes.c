#include <spa/node/command.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>

#include "CPipeWire.h"

int npw_node_suspend(struct pw_node *node) {
  const struct spa_command command = SPA_NODE_COMMAND_INIT(SPA_NODE_COMMAND_Suspend);
  return pw_node_send_command(node, &command);
}

int npw_node_subscribe_props(struct pw_node *node) {
  uint32_t id = SPA_PARAM_Props;
  return pw_node_subscribe_params(node, &id, 1);
}

int npw_node_set_soft_volumes(struct pw_node *node, const float *channels, uint32_t count, bool is_muted) {
  uint8_t buffer[1024];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  const struct spa_pod *param = spa_pod_builder_add_object(
      &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_softMute, SPA_POD_Bool(is_muted), SPA_PROP_softVolumes,
      SPA_POD_Array(sizeof(float), SPA_TYPE_Float, count, channels));
  return pw_node_set_param(node, SPA_PARAM_Props, 0, param);
}

int npw_node_set_mute(struct pw_node *node, bool is_muted) {
  uint8_t buffer[256];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
  const struct spa_pod *param =
      spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_mute, SPA_POD_Bool(is_muted));
  return pw_node_set_param(node, SPA_PARAM_Props, 0, param);
}
