// A `spa_device` made of lists: its params are built here, because SPA's pod builder is variadic and its interfaces are macros. The caller
// provides the lists, and carries out the requests. For one thread.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct csd_device csd_device;

// Requests made by setting a param. Return 0, or a negative errno if there is no such profile or route.
typedef struct csd_requests {
  int (*set_profile)(void *data, int32_t index, bool save);
  int (*set_route)(void *data, int32_t index, int32_t device, bool save);
  // Props of the active route of `device`; volume is the first channel's, linear, < 0 if absent; mute is -1 if absent.
  void (*set_volume)(void *data, int32_t device, float volume, int32_t mute);
} csd_requests;

// Indices of `card.profile.device`, or of profiles.
typedef struct csd_list {
  const int32_t *values;
  uint32_t count;
} csd_list;

typedef struct csd_profile {
  int32_t index, priority;
  uint32_t availability;  // spa_param_availability
  const char *name, *description;
} csd_profile;

typedef struct csd_route {
  int32_t index, priority;
  uint32_t direction;     // spa_direction
  uint32_t availability;  // spa_param_availability
  const char *name, *description, *port_type;
} csd_route;

// The state of an active route.
typedef struct csd_activity {
  int32_t device, profile;
  uint32_t channels;
  float volume;  // linear
  bool is_muted, is_saved;
} csd_activity;

// Returns NULL if the process is out of memory. `requests` must live as long as the device; `data` is passed to them.
csd_device *csd_new(const csd_requests *requests);
void csd_set_data(csd_device *device, void *data);
// Call it after its proxy has been destroyed.
void csd_free(csd_device *device);
// The `struct spa_device *`, for pw_core_export.
void *csd_implementation(csd_device *device);

// Takes effect with the next csd_publish.
void csd_set_property(csd_device *device, const char *key, const char *value);
// Begins a new set of params; the published one remains until csd_publish.
void csd_begin(csd_device *device);
void csd_add_profile(csd_device *device, const csd_profile *profile, csd_list sources, csd_list sinks, bool is_active, bool is_saved);
// Adds a route that could be chosen (EnumRoute) if `activity` is NULL, otherwise an active one (Route).
void csd_add_route(csd_device *device, const csd_route *route, csd_list profiles, csd_list devices, const csd_activity *activity);
// Publishes the new set, and reports to listeners which kinds of params changed, like ALSA's and BlueZ's devices.
void csd_publish(csd_device *device);
