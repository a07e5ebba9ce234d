// What the generations of the library have in common.
#pragma once
#include <memory>

#include "CAudioProcessing.h"

// A processor of one generation. The functions are those of CAudioProcessing.h.
struct nearend_processor {
  virtual ~nearend_processor() = default;
  virtual int analyze_reference(const float *reference) = 0;
  virtual int expect_only_echo(bool is_only_echo) = 0;
  virtual int process(const float *input, float *output) = 0;
};

namespace nearend {
// One generation: how to tell it, and to make its processors.
struct Generation {
  const char *name;
  const char *file;
  // The symbols that `create` needs; NULL ends them.
  const char *symbols[4];
  std::unique_ptr<nearend_processor> (*create)(void *const *symbols, int rate, nearend_processor_kind kind);
};

extern const Generation generation2, generation1, generation0;

// Processes silence, because the first blocks of every new instance allocate. Returns true if every block passes.
bool warm_up(nearend_processor &processor, float *silence);
}  // namespace nearend
