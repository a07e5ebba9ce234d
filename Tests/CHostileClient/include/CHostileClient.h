// A client of a PipeWire daemon that may send anything: pods of any bytes, properties of any text. Call it from one thread at a time.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct hc_client hc_client;
typedef struct hc_node hc_node;
typedef struct hc_device hc_device;
typedef struct hc_metadata hc_metadata;

// A pod whose outer size is true; its content need not be.
typedef struct hc_pod {
  uint32_t id;  // the param's id
  const void *bytes;
  uint32_t size;
} hc_pod;
typedef struct hc_property {
  const char *key, *value;
} hc_property;

// Returns NULL if no daemon answers. Disconnecting ends everything that the client has made; remove hc_node, hc_device and
// hc_metadata before.
hc_client *hc_connect(const char *socket);
void hc_disconnect(hc_client *client);
bool hc_is_connected(hc_client *client);

// Connects a client that only counts the Props received from nodes whose name begins with "hostile.".
hc_client *hc_connect_ear(const char *socket);
uint32_t hc_heard(hc_client *client);

// Finds the registry's objects of a kind, "Node", "Port" or "Metadata", with the name `name` (NULL for any); returns their number.
uint32_t hc_find(hc_client *client, const char *kind, const char *name, uint32_t *ids, uint32_t most);
// Finds a node's ports.
uint32_t hc_ports(hc_client *client, uint32_t node, bool is_input, uint32_t *ids, uint32_t most);
// Finds the nodes that clients of `application` have linked to the inputs, or outputs, of `node`.
uint32_t hc_linked(hc_client *client, const char *application, uint32_t node, bool is_input, uint32_t *ids, uint32_t most);

// Between these two calls neither the client nor any of its objects answers, as if its program hung. Other calls are allowed.
void hc_hold(hc_client *client);
void hc_release(hc_client *client);

void hc_set_param(hc_client *client, uint32_t node, const hc_pod *pod);
void hc_set_metadata(hc_client *client, uint32_t metadata, uint32_t subject, const char *key, const char *type, const char *value);
void hc_link(hc_client *client, uint32_t output, uint32_t input);

// Adds a node with one DSP port in each direction; remove it before the client.
hc_node *hc_add_node(hc_client *client, const hc_property *properties, uint32_t count);
void hc_tell_latency(hc_node *node, const hc_pod *pod, bool is_input);
// Publishes a param of the node; the pod's object names which.
void hc_tell_props(hc_node *node, const hc_pod *pod);
// The node's id; 0xFFFFFFFF until the daemon has assigned one.
uint32_t hc_node_id(hc_node *node);
// How often soft volumes were set on the node, as nearend does when it lowers a stream.
uint32_t hc_lowered(hc_node *node);
void hc_remove_node(hc_node *node);

// Adds a card that reports these params; remove it before the client.
hc_device *hc_add_device(hc_client *client, const hc_property *properties, uint32_t count, const hc_pod *pods, uint32_t pod_count);
void hc_tell_again(hc_device *device);
bool hc_is_registered(hc_device *device);
// How often params were asked for.
uint32_t hc_asked(hc_device *device);
void hc_remove_device(hc_device *device);

// Adds a metadata object that lives in this client; remove it before the client. `key` NULL clears a subject, `value` NULL a key.
hc_metadata *hc_add_metadata(hc_client *client, const char *name);
void hc_tell_metadata(hc_metadata *metadata, uint32_t subject, const char *key, const char *type, const char *value);
void hc_remove_metadata(hc_metadata *metadata);
