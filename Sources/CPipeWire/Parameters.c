#include <errno.h>
#include <spa/debug/types.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/param/type-info.h>
#include <spa/pod/builder.h>
#include <spa/pod/dynamic.h>
#include <stdlib.h>

#include "CPipeWire.h"

static void add_value(struct spa_pod_builder *builder, const npw_parameter *parameter) {
  switch (parameter->kind) {
    case NPW_PARAMETER_BOOL: spa_pod_builder_bool(builder, parameter->number != 0); break;
    case NPW_PARAMETER_NUMBER: spa_pod_builder_float(builder, (float)parameter->number); break;
    case NPW_PARAMETER_TEXT: spa_pod_builder_string(builder, parameter->text); break;
  }
}

// Adds the value as the default, followed by the alternatives.
static void add_type(struct spa_pod_builder *builder, const npw_parameter *parameter) {
  struct spa_pod_frame choice;
  if (parameter->kind == NPW_PARAMETER_BOOL) {
    const bool value = parameter->number != 0;
    spa_pod_builder_push_choice(builder, &choice, SPA_CHOICE_Enum, 0);
    for (int i = 0; i < 3; i++) spa_pod_builder_bool(builder, i == 2 ? !value : value);
    spa_pod_builder_pop(builder, &choice);
  } else if (parameter->kind == NPW_PARAMETER_NUMBER && parameter->minimum != parameter->maximum) {
    spa_pod_builder_push_choice(builder, &choice, SPA_CHOICE_Range, 0);
    spa_pod_builder_float(builder, (float)parameter->number);
    spa_pod_builder_float(builder, (float)parameter->minimum);
    spa_pod_builder_float(builder, (float)parameter->maximum);
    spa_pod_builder_pop(builder, &choice);
  } else {
    add_value(builder, parameter);
  }
}

static void add_info(struct spa_pod_builder *builder, const npw_parameter *parameter) {
  struct spa_pod_frame object;
  spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_PropInfo, SPA_PARAM_PropInfo);
  spa_pod_builder_prop(builder, SPA_PROP_INFO_name, 0);
  spa_pod_builder_string(builder, parameter->name);
  spa_pod_builder_prop(builder, SPA_PROP_INFO_description, 0);
  spa_pod_builder_string(builder, parameter->description);
  spa_pod_builder_prop(builder, SPA_PROP_INFO_type, 0);
  add_type(builder, parameter);
  spa_pod_builder_prop(builder, SPA_PROP_INFO_params, 0);
  spa_pod_builder_bool(builder, true);
  spa_pod_builder_pop(builder, &object);
}

static void add_props(struct spa_pod_builder *builder, const npw_parameter *parameters, uint32_t count) {
  struct spa_pod_frame object, list;
  spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
  spa_pod_builder_prop(builder, SPA_PROP_params, 0);
  spa_pod_builder_push_struct(builder, &list);
  for (uint32_t i = 0; i < count; i++) {
    spa_pod_builder_string(builder, parameters[i].name);
    add_value(builder, &parameters[i]);
  }
  spa_pod_builder_pop(builder, &list);
  spa_pod_builder_pop(builder, &object);
}

int npw_filter_publish_parameters(struct pw_filter *filter, const npw_parameter *parameters, uint32_t count) {
  uint8_t buffer[4096];
  struct spa_pod_dynamic_builder builder;
  uint32_t *offsets = calloc(count + 1, sizeof *offsets);
  const struct spa_pod **pods = calloc(count + 1, sizeof *pods);
  int result = -ENOMEM;
  spa_pod_dynamic_builder_init(&builder, buffer, sizeof buffer, 4096);
  if (offsets && pods) {
    for (uint32_t i = 0; i <= count; i++) {
      offsets[i] = builder.b.state.offset;
      if (i < count)
        add_info(&builder.b, &parameters[i]);
      else
        add_props(&builder.b, parameters, count);
    }
    // Dereferenced last, because the memory moves while it grows.
    for (uint32_t i = 0; i <= count; i++) pods[i] = spa_pod_builder_deref(&builder.b, offsets[i]);
    if (builder.b.state.offset <= builder.b.size) result = pw_filter_update_params(filter, NULL, pods, count + 1);
  }
  spa_pod_dynamic_builder_clean(&builder);
  free(pods);
  free(offsets);
  return result;
}

const char *npw_props_key_name(uint32_t key) { return spa_debug_type_find_short_name(spa_type_props, key); }
