#include <errno.h>
#include <spa/debug/types.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/param/type-info.h>
#include <spa/pod/builder.h>
#include <spa/pod/dynamic.h>
#include <spa/pod/iter.h>
#include <stdlib.h>

#include "CPipeWire.h"

static void add_value(struct spa_pod_builder *builder, const npw_parameter *parameter) {
  switch (parameter->kind) {
    case NPW_PARAMETER_BOOL: spa_pod_builder_bool(builder, parameter->number != 0); break;
    case NPW_PARAMETER_NUMBER: spa_pod_builder_float(builder, (float)parameter->number); break;
    case NPW_PARAMETER_TEXT: spa_pod_builder_string(builder, parameter->text); break;
    case NPW_PARAMETER_OTHER: spa_pod_builder_none(builder); break;
  }
}

// The value as the default, and what else is possible.
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
    // Only now, because the memory moves while it grows.
    for (uint32_t i = 0; i <= count; i++) pods[i] = spa_pod_builder_deref(&builder.b, offsets[i]);
    if (builder.b.state.offset <= builder.b.size) result = pw_filter_update_params(filter, NULL, pods, count + 1);
  }
  spa_pod_dynamic_builder_clean(&builder);
  free(pods);
  free(offsets);
  return result;
}

static void read_value(const struct spa_pod *pod, npw_parameter *parameter) {
  bool flag;
  int32_t integer;
  int64_t wide;
  float single;
  parameter->kind = NPW_PARAMETER_NUMBER;
  if (spa_pod_get_bool(pod, &flag) == 0) {
    parameter->kind = NPW_PARAMETER_BOOL;
    parameter->number = flag;
  } else if (spa_pod_get_int(pod, &integer) == 0) {
    parameter->number = integer;
  } else if (spa_pod_get_long(pod, &wide) == 0) {
    parameter->number = (double)wide;
  } else if (spa_pod_get_float(pod, &single) == 0) {
    parameter->number = (double)single;
  } else if (spa_pod_get_double(pod, &parameter->number) != 0) {
    parameter->kind = spa_pod_get_string(pod, &parameter->text) == 0 ? NPW_PARAMETER_TEXT : NPW_PARAMETER_OTHER;
  }
}

// Name, value, name, value, …
static void read_list(const struct spa_pod *list, npw_parameter_function each, void *data) {
  const struct spa_pod *pod;
  const npw_parameter malformed = {.name = "params"};
  npw_parameter parameter = {0};
  if (!spa_pod_is_struct(list)) return each(data, &malformed);
  SPA_POD_STRUCT_FOREACH(list, pod) {
    if (parameter.name) {
      read_value(pod, &parameter);
      each(data, &parameter);
      parameter = (npw_parameter){0};
    } else if (spa_pod_get_string(pod, &parameter.name) < 0) {
      return each(data, &malformed);
    }
  }
  if (parameter.name) each(data, &parameter);
}

void npw_parameters_read(const struct spa_pod *props, npw_parameter_function each, void *data) {
  const struct spa_pod_prop *property;
  if (!props || !spa_pod_is_object_type(props, SPA_TYPE_OBJECT_Props)) return;
  SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)props, property) {
    if (property->key == SPA_PROP_params) {
      read_list(&property->value, each, data);
    } else {
      const char *key = spa_debug_type_find_short_name(spa_type_props, property->key);
      const npw_parameter other = {.name = key ? key : "unknown"};
      each(data, &other);
    }
  }
}
