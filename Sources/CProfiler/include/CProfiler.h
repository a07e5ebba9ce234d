// The daemon's profiler, which tells for every cycle when each node was triggered, woken and finished. It is a pod of pods in varying
// number, read with macros and variadic functions, neither of which Swift imports. [control]
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define PROFILER_NODES 32
#define PROFILER_NAME 64

typedef struct profiler_node {
  char name[PROFILER_NAME];
  // Cycles in which it was triggered or running when the next began. Nodes that waited for another are not counted.
  uint32_t late;
  // Cycles in which it finished, and for how long it ran in those, ns in all.
  uint32_t finished;
  uint64_t busy;
} profiler_node;

typedef struct profiler_counts {
  // Cycles of the driver that was asked for.
  uint32_t cycles;
  // Those in which a node had not finished when the next cycle began.
  uint32_t unfinished;
  uint32_t node_count;
  profiler_node nodes[PROFILER_NODES];
} profiler_counts;

typedef struct profiler profiler;

// Begins to count the cycles that the node `driver` drives, on a thread of its own. `remote`: the daemon's socket. NULL, with errno,
// where there is no daemon, or one without module-profiler.
profiler *profiler_start(const char *remote, const char *driver);
// What was counted since the start, or since the last `profiler_take`.
void profiler_take(profiler *profiler, profiler_counts *counts);
void profiler_stop(profiler *profiler);
