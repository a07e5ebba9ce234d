// The part of LADSPA 1.1's binary interface that nearend uses, declared anew, so that building does not require its SDK. Names and order of
// the members follow the interface.
#pragma once
#include "CRealtime.h"

enum {
  LADSPA_IS_INPLACE_BROKEN = 0x2,
  LADSPA_IS_HARD_RT_CAPABLE = 0x4,

  LADSPA_IS_INPUT = 0x1,
  LADSPA_IS_OUTPUT = 0x2,
  LADSPA_IS_CONTROL = 0x4,
  LADSPA_IS_AUDIO = 0x8,
};

typedef struct {
  int hints;
  float lower, upper;
} ladspa_range;

typedef void (*ladspa_run_function)(void *_Nullable instance, unsigned long frames);

typedef struct ladspa_descriptor {
  unsigned long unique_id;
  const char *_Nullable label;
  int properties;
  const char *_Nullable name, *_Nullable maker, *_Nullable copyright;
  unsigned long port_count;
  const int *_Nullable port_descriptors;
  const char *_Nullable const *_Nullable port_names;
  const ladspa_range *_Nullable port_ranges;
  void *_Nullable implementation_data;
  void *_Nullable (*_Nullable instantiate)(const struct ladspa_descriptor *_Nonnull descriptor, unsigned long sample_rate);
  void (*_Nullable connect_port)(void *_Nullable instance, unsigned long port, float *_Nonnull data);
  void (*_Nullable activate)(void *_Nullable instance);
  ladspa_run_function _Nullable run;
  ladspa_run_function _Nullable run_adding;
  void (*_Nullable set_run_adding_gain)(void *_Nullable instance, float gain);
  void (*_Nullable deactivate)(void *_Nullable instance);
  void (*_Nullable cleanup)(void *_Nullable instance);
} ladspa_descriptor;

typedef const ladspa_descriptor *_Nullable (*ladspa_descriptor_function)(unsigned long index);

// A plug-in that says it is hard-realtime capable is called like the audio thread's own code: it promises that it neither locks nor
// allocates. Others are called by the worker alone.
static inline NEAREND_REALTIME void nearend_ladspa_run(ladspa_run_function _Nonnull run, void *_Nullable instance, intptr_t frames) {
  run(instance, (unsigned long)frames);
}
