// Reads the daemon's profiler, which reports for every cycle when each node was triggered, woken and finished: nested pods of varying
// number, read with macros and variadic functions, neither of which Swift imports. [control]
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define PROFILER_NODES 32
#define PROFILER_NAME 64

typedef struct profiler_node {
  char name[PROFILER_NAME];
  // Cycles in which the node was triggered or running when the next began. Nodes that waited for another are not counted.
  uint32_t late;
  // Cycles in which the node finished, and the total run time in those, in ns.
  uint32_t finished;
  uint64_t busy;
  // The longest of these run times, in ns.
  uint64_t longest;
} profiler_node;

typedef struct profiler_counts {
  // Cycles of the selected driver.
  uint32_t cycles;
  // Cycles in which a node had not finished when the next began.
  uint32_t unfinished;
  uint32_t node_count;
  profiler_node nodes[PROFILER_NODES];
} profiler_counts;

typedef struct profiler profiler;

// Starts counting the cycles driven by node `driver`, on a thread of its own. `remote`: the daemon's socket. Returns NULL and sets errno if
// there is no daemon, or the daemon has no module-profiler.
profiler *profiler_start(const char *remote, const char *driver);
// Returns the counts since the start, or since the last `profiler_take`.
void profiler_take(profiler *profiler, profiler_counts *counts);
void profiler_stop(profiler *profiler);

// Returns the bytes that malloc has allocated, in all arenas and mappings; 0 if the C library does not report it. [any]
uint64_t heap_in_use(void);
