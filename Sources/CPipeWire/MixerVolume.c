#include <spa/node/command.h>
#include <spa/param/audio/raw.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/pod/iter.h>

#include "CPipeWire.h"

int npw_node_suspend(struct pw_node *node) {
  const struct spa_command command = SPA_NODE_COMMAND_INIT(SPA_NODE_COMMAND_Suspend);
  return pw_node_send_command(node, &command);
}

int npw_node_follow_props(struct pw_node *node) {
  uint32_t ids[] = {SPA_PARAM_Props};
  return pw_node_subscribe_params(node, ids, 1);
}

bool npw_volume_read(const struct spa_pod *props, npw_volume *volume) {
  const struct spa_pod_prop *property;
  bool is_known = false;
  *volume = (npw_volume){.volume = 1};
  if (!props || !spa_pod_is_object_type(props, SPA_TYPE_OBJECT_Props)) return false;
  SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)props, property) {
    float volumes[SPA_AUDIO_MAX_CHANNELS];
    bool flag;
    if (property->key == SPA_PROP_mute && spa_pod_get_bool(&property->value, &flag) == 0) {
      volume->is_muted = flag;
      is_known = true;
    } else if (property->key == SPA_PROP_channelVolumes) {
      const uint32_t count = spa_pod_copy_array(&property->value, SPA_TYPE_Float, volumes, SPA_AUDIO_MAX_CHANNELS);
      // Mixers show the loudest channel.
      for (uint32_t i = 0; i < count; i++) volume->volume = i == 0 || volumes[i] > volume->volume ? volumes[i] : volume->volume;
      is_known = is_known || count > 0;
    }
  }
  return is_known;
}
