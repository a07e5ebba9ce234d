// Loads the library, and calls its processors.
#include <dlfcn.h>

#include <string>

#include "Processor.h"

struct nearend_audio_processing {
  const nearend::Generation *generation;
  void *symbols[4];
};

namespace {
// The newest first: AEC3 came with 1.0, and 2.1 has it of 2024.
const nearend::Generation *const generations[] = {&nearend::generation2, &nearend::generation1, &nearend::generation0};

const nearend::Generation *known(int number) {
  return number >= 0 && number < int(sizeof generations / sizeof *generations) ? generations[number] : nullptr;
}

thread_local std::string failure;
}  // namespace

const char *nearend_audio_processing_name(int generation) { return known(generation) ? known(generation)->name : nullptr; }

const char *nearend_audio_processing_file(int generation) { return known(generation) ? known(generation)->file : nullptr; }

const char *nearend_audio_processing_failure(void) { return failure.c_str(); }

const nearend_audio_processing *nearend_audio_processing_load(int number, const char *file) {
  const nearend::Generation *generation = known(number);
  if (!generation) {
    failure = "there is no such generation";
    return nullptr;
  }
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    failure = reason ? reason : "it cannot be loaded";
    return nullptr;
  }
  auto *library = new nearend_audio_processing{generation, {}};
  for (int i = 0; generation->symbols[i]; i++) {
    library->symbols[i] = dlsym(handle, generation->symbols[i]);
    if (library->symbols[i]) continue;
    failure = std::string("it has no function ") + generation->symbols[i];
    delete library;
    dlclose(handle);
    return nullptr;
  }
  return library;
}

nearend_processor *nearend_processor_create(const nearend_audio_processing *library, int rate, nearend_processor_kind kind) {
  return library->generation->create(library->symbols, rate, kind).release();
}

void nearend_processor_destroy(nearend_processor *processor) { delete processor; }

int nearend_processor_analyze_reference(nearend_processor *processor, const float *reference) {
  return processor->analyze_reference(reference);
}

int nearend_processor_expect_only_echo(nearend_processor *processor, bool is_only_echo) {
  return processor->expect_only_echo(is_only_echo);
}

int nearend_processor_process(nearend_processor *processor, const float *input, float *output) {
  return processor->process(input, output);
}

bool nearend::warm_up(nearend_processor &processor, float *silence) {
  constexpr int blocks = 10;
  for (int i = 0; i < blocks; i++)
    if (processor.analyze_reference(silence) != 0 || processor.process(silence, silence) != 0) return false;
  return true;
}
