// A client of a PipeWire daemon that may send anything: pods of any bytes, properties of any text. Calls may come from any one thread.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct hc_client hc_client;
typedef struct hc_node hc_node;
typedef struct hc_device hc_device;

// A pod whose outer size is true; its content need not be.
typedef struct hc_pod {
  uint32_t id;  // the param's id
  const void *bytes;
  uint32_t size;
} hc_pod;
typedef struct hc_property {
  const char *key, *value;
} hc_property;

// Returns NULL if no daemon answers. Everything a client has made goes with it, except what points here.
hc_client *hc_connect(const char *socket);
void hc_disconnect(hc_client *client);
bool hc_is_connected(hc_client *client);

// Finds the registry's objects of a kind, "Node", "Port" or "Metadata", with the name `name` (NULL for any); returns how many there are.
uint32_t hc_find(hc_client *client, const char *kind, const char *name, uint32_t *ids, uint32_t most);

void hc_set_param(hc_client *client, uint32_t node, const hc_pod *pod);
void hc_set_metadata(hc_client *client, uint32_t metadata, uint32_t subject, const char *key, const char *type, const char *value);
void hc_link(hc_client *client, uint32_t output, uint32_t input);

// Adds a node with one DSP port in each direction; remove it before the client.
hc_node *hc_add_node(hc_client *client, const hc_property *properties, uint32_t count);
void hc_tell_latency(hc_node *node, const hc_pod *pod, bool is_input);
void hc_remove_node(hc_node *node);

// Adds a card that reports these params; remove it before the client.
hc_device *hc_add_device(hc_client *client, const hc_property *properties, uint32_t count, const hc_pod *pods, uint32_t pod_count);
void hc_tell_again(hc_device *device);
void hc_remove_device(hc_device *device);
