#include "CHostileClient.h"

#include <pipewire/pipewire.h>

#include <pipewire/extensions/metadata.h>
#include <pipewire/filter.h>
#include <pipewire/impl-metadata.h>
#include <spa/monitor/device.h>
#include <spa/monitor/utils.h>
#include <spa/param/param.h>
#include <spa/param/props.h>
#include <spa/pod/iter.h>
#include <spa/utils/result.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 1024 };

// Listens to a node's Props.
struct ear {
  struct hc_client *client;
  struct pw_proxy *proxy;
  struct spa_hook hook;
};

struct object {
  uint32_t id;
  char kind[16];
  char name[128];
  // A port's node; the two nodes of a link, and the client that owns the link.
  uint32_t node, ends[2], client;
  struct ear *ear;
};
struct hc_client {
  struct pw_thread_loop *loop;
  struct pw_context *context;
  struct pw_core *core;
  struct pw_registry *registry;
  struct spa_hook core_hook, registry_hook;
  struct object objects[MOST_OBJECTS];
  uint32_t count;
  uint32_t heard;
  bool is_lost, hears;
};

static void param_heard(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param) {
  struct ear *ear = data;
  if (id == SPA_PARAM_Props && param) ear->client->heard++;
}
static const struct pw_node_events ear_events = {PW_VERSION_NODE_EVENTS, .param = param_heard};

static void hear(struct hc_client *this, struct object *object) {
  uint32_t props = SPA_PARAM_Props;
  struct ear *ear = calloc(1, sizeof *ear);
  ear->client = this;
  ear->proxy = pw_registry_bind(this->registry, object->id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
  if (ear->proxy) {
    pw_node_add_listener((struct pw_node *)ear->proxy, &ear->hook, &ear_events, ear);
    pw_node_subscribe_params((struct pw_node *)ear->proxy, &props, 1);
  }
  object->ear = ear;
}
static void hear_no_more(struct object *object) {
  if (object->ear && object->ear->proxy) {
    spa_hook_remove(&object->ear->hook);
    pw_proxy_destroy(object->ear->proxy);
  }
  free(object->ear);
  object->ear = NULL;
}

static uint32_t number_of(const struct spa_dict *props, const char *key) {
  const char *text = props ? spa_dict_lookup(props, key) : NULL;
  return text ? (uint32_t)strtoul(text, NULL, 10) : SPA_ID_INVALID;
}

static void global_added(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *props) {
  struct hc_client *this = data;
  const char *kind = strrchr(type, ':'), *name = NULL;
  if (this->count == MOST_OBJECTS || !kind) return;
  struct object *object = &this->objects[this->count++];
  *object = (struct object){.id = id,
                            .node = number_of(props, PW_KEY_NODE_ID),
                            .ends = {number_of(props, PW_KEY_LINK_OUTPUT_NODE), number_of(props, PW_KEY_LINK_INPUT_NODE)},
                            .client = number_of(props, PW_KEY_CLIENT_ID)};
  snprintf(object->kind, sizeof object->kind, "%s", kind + 1);
  if (props) {
    name = spa_dict_lookup(props, "node.name");
    if (!name) name = spa_dict_lookup(props, "metadata.name");
    if (!name) name = spa_dict_lookup(props, "port.direction");
    if (!name) name = spa_dict_lookup(props, "application.name");
  }
  snprintf(object->name, sizeof object->name, "%s", name ? name : "");
  if (this->hears && strcmp(object->kind, "Node") == 0 && strncmp(object->name, "hostile.", 8) == 0) hear(this, object);
}
static void global_removed(void *data, uint32_t id) {
  struct hc_client *this = data;
  for (uint32_t i = 0; i < this->count; i++)
    if (this->objects[i].id == id) {
      hear_no_more(&this->objects[i]);
      this->objects[i] = this->objects[--this->count];
      return;
    }
}
static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = global_added, .global_remove = global_removed};

static void core_error(void *data, uint32_t id, int sequence, int result, const char *message) {
  if (id == PW_ID_CORE && result == -EPIPE) ((struct hc_client *)data)->is_lost = true;
}
static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = core_error};

static hc_client *make(const char *socket, bool hears) {
  pw_init(NULL, NULL);
  struct hc_client *this = calloc(1, sizeof *this);
  this->hears = hears;
  this->loop = pw_thread_loop_new("hostile", NULL);
  this->context = pw_context_new(pw_thread_loop_get_loop(this->loop), NULL, 0);
  pw_thread_loop_start(this->loop);
  pw_thread_loop_lock(this->loop);
  this->core = pw_context_connect(this->context, pw_properties_new("remote.name", socket, "application.name", "hostile", NULL), 0);
  if (this->core) {
    pw_core_add_listener(this->core, &this->core_hook, &core_events, this);
    this->registry = pw_core_get_registry(this->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(this->registry, &this->registry_hook, &registry_events, this);
  }
  pw_thread_loop_unlock(this->loop);
  if (this->core) return this;
  hc_disconnect(this);
  return NULL;
}

hc_client *hc_connect(const char *socket) { return make(socket, false); }
hc_client *hc_connect_ear(const char *socket) { return make(socket, true); }

void hc_disconnect(hc_client *this) {
  pw_thread_loop_stop(this->loop);
  if (this->core) {
    for (uint32_t i = 0; i < this->count; i++) hear_no_more(&this->objects[i]);
    spa_hook_remove(&this->registry_hook);
    spa_hook_remove(&this->core_hook);
    pw_proxy_destroy((struct pw_proxy *)this->registry);
    pw_core_disconnect(this->core);
  }
  pw_context_destroy(this->context);
  pw_thread_loop_destroy(this->loop);
  free(this);
}

bool hc_is_connected(hc_client *this) {
  pw_thread_loop_lock(this->loop);
  const bool is_connected = !this->is_lost;
  pw_thread_loop_unlock(this->loop);
  return is_connected;
}

uint32_t hc_heard(hc_client *this) {
  pw_thread_loop_lock(this->loop);
  const uint32_t heard = this->heard;
  pw_thread_loop_unlock(this->loop);
  return heard;
}

uint32_t hc_find(hc_client *this, const char *kind, const char *name, uint32_t *ids, uint32_t most) {
  uint32_t count = 0;
  pw_thread_loop_lock(this->loop);
  for (uint32_t i = 0; i < this->count && count < most; i++)
    if (strcmp(this->objects[i].kind, kind) == 0 && (!name || strcmp(this->objects[i].name, name) == 0))
      ids[count++] = this->objects[i].id;
  pw_thread_loop_unlock(this->loop);
  return count;
}

uint32_t hc_ports(hc_client *this, uint32_t node, bool is_input, uint32_t *ids, uint32_t most) {
  uint32_t count = 0;
  pw_thread_loop_lock(this->loop);
  for (uint32_t i = 0; i < this->count && count < most; i++)
    if (strcmp(this->objects[i].kind, "Port") == 0 && this->objects[i].node == node &&
        strcmp(this->objects[i].name, is_input ? "in" : "out") == 0)
      ids[count++] = this->objects[i].id;
  pw_thread_loop_unlock(this->loop);
  return count;
}

static bool is_of(hc_client *this, uint32_t client, const char *application) {
  for (uint32_t i = 0; i < this->count; i++)
    if (this->objects[i].id == client) return strcmp(this->objects[i].name, application) == 0;
  return false;
}

uint32_t hc_linked(hc_client *this, const char *application, uint32_t node, bool is_input, uint32_t *ids, uint32_t most) {
  uint32_t count = 0;
  pw_thread_loop_lock(this->loop);
  for (uint32_t i = 0; i < this->count && count < most; i++) {
    const struct object *link = &this->objects[i];
    if (strcmp(link->kind, "Link") == 0 && link->ends[is_input] == node && is_of(this, link->client, application))
      ids[count++] = link->ends[!is_input];
  }
  pw_thread_loop_unlock(this->loop);
  return count;
}

void hc_hold(hc_client *this) { pw_thread_loop_lock(this->loop); }
void hc_release(hc_client *this) { pw_thread_loop_unlock(this->loop); }

void hc_set_param(hc_client *this, uint32_t node, const hc_pod *pod) {
  pw_thread_loop_lock(this->loop);
  struct pw_proxy *proxy = pw_registry_bind(this->registry, node, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
  if (proxy) {
    pw_node_set_param((struct pw_node *)proxy, pod->id, 0, (const struct spa_pod *)pod->bytes);
    pw_proxy_destroy(proxy);
  }
  pw_thread_loop_unlock(this->loop);
}

void hc_set_metadata(hc_client *this, uint32_t metadata, uint32_t subject, const char *key, const char *type, const char *value) {
  pw_thread_loop_lock(this->loop);
  struct pw_proxy *proxy = pw_registry_bind(this->registry, metadata, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, 0);
  if (proxy) {
    pw_metadata_set_property((struct pw_metadata *)proxy, subject, key, type, value);
    pw_proxy_destroy(proxy);
  }
  pw_thread_loop_unlock(this->loop);
}

void hc_link(hc_client *this, uint32_t output, uint32_t input) {
  char ids[2][16];
  snprintf(ids[0], sizeof ids[0], "%u", output);
  snprintf(ids[1], sizeof ids[1], "%u", input);
  const struct spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_PORT, ids[0]}, {PW_KEY_LINK_INPUT_PORT, ids[1]}};
  pw_thread_loop_lock(this->loop);
  pw_core_create_object(this->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &SPA_DICT_INIT_ARRAY(items), 0);
  pw_thread_loop_unlock(this->loop);
}

// MARK: Nodes

struct hc_node {
  struct hc_client *client;
  struct pw_filter *filter;
  struct spa_hook hook;
  void *ports[2];
  uint32_t lowered;
};

static void param_set(void *data, void *port, uint32_t id, const struct spa_pod *param) {
  struct hc_node *this = data;
  if (!port && id == SPA_PARAM_Props && param && spa_pod_find_prop(param, NULL, SPA_PROP_softVolumes)) this->lowered++;
}
static const struct pw_filter_events filter_events = {PW_VERSION_FILTER_EVENTS, .param_changed = param_set};

static struct pw_properties *properties_of(const hc_property *properties, uint32_t count) {
  struct pw_properties *all = pw_properties_new(NULL, NULL);
  for (uint32_t i = 0; i < count; i++) pw_properties_set(all, properties[i].key, properties[i].value);
  return all;
}

hc_node *hc_add_node(hc_client *client, const hc_property *properties, uint32_t count) {
  struct hc_node *this = calloc(1, sizeof *this);
  this->client = client;
  pw_thread_loop_lock(client->loop);
  this->filter = pw_filter_new(client->core, "hostile", properties_of(properties, count));
  pw_filter_add_listener(this->filter, &this->hook, &filter_events, this);
  for (int i = 0; i < 2; i++)
    this->ports[i] = pw_filter_add_port(this->filter, i == 0 ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, 8,
                                        pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", NULL), NULL, 0);
  pw_filter_connect(this->filter, PW_FILTER_FLAG_CUSTOM_LATENCY, NULL, 0);
  pw_thread_loop_unlock(client->loop);
  return this;
}

void hc_tell_latency(hc_node *this, const hc_pod *pod, bool is_input) {
  const struct spa_pod *params[] = {pod->bytes};
  pw_thread_loop_lock(this->client->loop);
  if (this->ports[!is_input]) pw_filter_update_params(this->filter, this->ports[!is_input], params, 1);
  pw_thread_loop_unlock(this->client->loop);
}

void hc_tell_props(hc_node *this, const hc_pod *pod) {
  const struct spa_pod *params[] = {pod->bytes};
  pw_thread_loop_lock(this->client->loop);
  pw_filter_update_params(this->filter, NULL, params, 1);
  pw_thread_loop_unlock(this->client->loop);
}

uint32_t hc_node_id(hc_node *this) {
  pw_thread_loop_lock(this->client->loop);
  const uint32_t id = pw_filter_get_node_id(this->filter);
  pw_thread_loop_unlock(this->client->loop);
  return id;
}

uint32_t hc_lowered(hc_node *this) {
  pw_thread_loop_lock(this->client->loop);
  const uint32_t lowered = this->lowered;
  pw_thread_loop_unlock(this->client->loop);
  return lowered;
}

void hc_remove_node(hc_node *this) {
  pw_thread_loop_lock(this->client->loop);
  pw_filter_destroy(this->filter);
  pw_thread_loop_unlock(this->client->loop);
  free(this);
}

// MARK: Devices

struct hc_device {
  struct spa_device device;
  struct spa_hook_list hooks;
  struct hc_client *client;
  struct pw_proxy *proxy;
  struct pw_properties *properties;
  hc_pod *pods;
  uint32_t pod_count;
  uint32_t change, asked;
};

static void tell_info(struct hc_device *this) {
  struct spa_param_info params[] = {
      SPA_PARAM_INFO(SPA_PARAM_EnumProfile, SPA_PARAM_INFO_READ), SPA_PARAM_INFO(SPA_PARAM_Profile, SPA_PARAM_INFO_READWRITE),
      SPA_PARAM_INFO(SPA_PARAM_EnumRoute, SPA_PARAM_INFO_READ), SPA_PARAM_INFO(SPA_PARAM_Route, SPA_PARAM_INFO_READWRITE)};
  for (int i = 0; i < 4; i++)
    if (this->change & 1) params[i].flags |= SPA_PARAM_INFO_SERIAL;
  this->change++;
  struct spa_device_info info = SPA_DEVICE_INFO_INIT();
  info.change_mask = SPA_DEVICE_CHANGE_MASK_PROPS | SPA_DEVICE_CHANGE_MASK_PARAMS;
  info.props = &this->properties->dict;
  info.params = params;
  info.n_params = 4;
  spa_device_emit_info(&this->hooks, &info);
}

static int add_listener(void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
  struct hc_device *this = object;
  struct spa_hook_list save;
  spa_hook_list_isolate(&this->hooks, &save, listener, events, data);
  tell_info(this);
  spa_hook_list_join(&this->hooks, &save);
  return 0;
}
static int device_sync(void *object, int sequence) {
  struct hc_device *this = object;
  spa_device_emit_result(&this->hooks, sequence, 0, 0, NULL);
  return 0;
}
static int enum_params(void *object, int sequence, uint32_t id, uint32_t index, uint32_t max, const struct spa_pod *filter) {
  struct hc_device *this = object;
  uint32_t next = 0, told = 0;
  this->asked++;
  for (uint32_t i = 0; i < this->pod_count && told < max; i++) {
    if (this->pods[i].id != id || next++ < index) continue;
    struct spa_result_device_params result = {.id = id, .index = next - 1, .next = next, .param = (struct spa_pod *)this->pods[i].bytes};
    told++;
    spa_device_emit_result(&this->hooks, sequence, 0, SPA_RESULT_TYPE_DEVICE_PARAMS, &result);
  }
  return 0;
}
static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *param) { return 0; }
static const struct spa_device_methods methods = {
    SPA_VERSION_DEVICE_METHODS, .add_listener = add_listener, .sync = device_sync, .enum_params = enum_params, .set_param = set_param};

hc_device *hc_add_device(hc_client *client, const hc_property *properties, uint32_t count, const hc_pod *pods, uint32_t pod_count) {
  struct hc_device *this = calloc(1, sizeof *this);
  this->client = client;
  this->device.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &methods, this);
  spa_hook_list_init(&this->hooks);
  this->properties = properties_of(properties, count);
  this->pods = calloc(pod_count, sizeof *this->pods);
  this->pod_count = pod_count;
  for (uint32_t i = 0; i < pod_count; i++) {
    void *copy = malloc(pods[i].size);
    memcpy(copy, pods[i].bytes, pods[i].size);
    this->pods[i] = (hc_pod){.id = pods[i].id, .bytes = copy, .size = pods[i].size};
  }
  pw_thread_loop_lock(client->loop);
  this->proxy = pw_core_export(client->core, SPA_TYPE_INTERFACE_Device, &this->properties->dict, &this->device, 0);
  pw_thread_loop_unlock(client->loop);
  return this;
}

void hc_tell_again(hc_device *this) {
  pw_thread_loop_lock(this->client->loop);
  tell_info(this);
  pw_thread_loop_unlock(this->client->loop);
}

bool hc_is_registered(hc_device *this) {
  pw_thread_loop_lock(this->client->loop);
  const bool is_registered = this->proxy && pw_proxy_get_bound_id(this->proxy) != SPA_ID_INVALID;
  pw_thread_loop_unlock(this->client->loop);
  return is_registered;
}

uint32_t hc_asked(hc_device *this) {
  pw_thread_loop_lock(this->client->loop);
  const uint32_t asked = this->asked;
  pw_thread_loop_unlock(this->client->loop);
  return asked;
}

void hc_remove_device(hc_device *this) {
  pw_thread_loop_lock(this->client->loop);
  if (this->proxy) pw_proxy_destroy(this->proxy);
  pw_thread_loop_unlock(this->client->loop);
  for (uint32_t i = 0; i < this->pod_count; i++) free((void *)this->pods[i].bytes);
  free(this->pods);
  pw_properties_free(this->properties);
  free(this);
}

// MARK: Metadata

struct hc_metadata {
  struct hc_client *client;
  struct pw_impl_metadata *metadata;
  struct pw_proxy *proxy;
};

hc_metadata *hc_add_metadata(hc_client *client, const char *name) {
  struct hc_metadata *this = calloc(1, sizeof *this);
  this->client = client;
  pw_thread_loop_lock(client->loop);
  this->metadata = pw_context_create_metadata(client->context, name, NULL, 0);
  if (this->metadata)
    this->proxy = pw_core_export(client->core, PW_TYPE_INTERFACE_Metadata, &pw_impl_metadata_get_properties(this->metadata)->dict,
                                 pw_impl_metadata_get_implementation(this->metadata), 0);
  pw_thread_loop_unlock(client->loop);
  return this;
}

void hc_tell_metadata(hc_metadata *this, uint32_t subject, const char *key, const char *type, const char *value) {
  pw_thread_loop_lock(this->client->loop);
  if (this->metadata) pw_impl_metadata_set_property(this->metadata, subject, key, type, value);
  pw_thread_loop_unlock(this->client->loop);
}

void hc_remove_metadata(hc_metadata *this) {
  pw_thread_loop_lock(this->client->loop);
  if (this->proxy) pw_proxy_destroy(this->proxy);
  if (this->metadata) pw_impl_metadata_destroy(this->metadata);
  pw_thread_loop_unlock(this->client->loop);
  free(this);
}
