import Foundation

/// LADSPA plug-ins of known effect and with known faults, compiled from C when a test needs them.
package enum TestPlugIn {
  /// The properties of a plug-in.
  package struct Traits: Sendable {
    /// Frames by which it delays, reported by its port "latency"; at most 65535.
    package var delay = 0
    package var isHardRealtime = true
    /// Makes it stereo; it swaps the two channels.
    package var isStereo = false
    /// Frames after which it puts out NaN.
    package var nanFrom: Int?
    package var crashes = false
    package var hangs = false
    /// Frames after which it hangs.
    package var hangsFrom: Int?
    /// Additional frames of delay, which it reports only after 8192 frames.
    package var laterDelay = 0
    /// The number of instances after which it refuses to make another; nil for any number.
    package var mostInstances: Int?
    /// Makes the range of "Gain" 0 to a 24000th of the sample rate.
    package var isRateRelative = false

    package init() {}

    package init(_ change: (inout Traits) -> Void) { change(&self) }

    var flags: [String] {
      var flags = ["-DDELAY=\(delay)", "-DPROPERTIES=\(isHardRealtime ? 4 : 0)"]
      if isStereo { flags.append("-DSTEREO") }
      if let nanFrom { flags.append("-DNAN_FROM=\(nanFrom)") }
      if crashes { flags.append("-DCRASHES") }
      if hangs { flags.append("-DHANGS") }
      if let hangsFrom { flags.append("-DHANGS_FROM=\(hangsFrom)") }
      if laterDelay > 0 { flags.append("-DLATER_DELAY=\(laterDelay)") }
      if let mostInstances { flags.append("-DMOST_INSTANCES=\(mostInstances)") }
      if isRateRelative { flags.append("-DRATE_RELATIVE") }
      return flags
    }
  }

  package struct Failure: Error { package var reason: String }

  /// Compiles a library with one plug-in, "test", whose port "Gain" has the range 0 to 2 and the default 1; returns "path:test".
  package static func make(in folder: String, _ traits: Traits) throws -> String {
    let name = "\(folder)/plugin-\(UInt64.random(in: .min ... .max))"
    try source.write(toFile: "\(name).c", atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", "\(name).so", "\(name).c"] + traits.flags
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw Failure(reason: "cc ends with \(compiler.terminationStatus)") }
    return "\(name).so:test"
  }

  private static let source = """
    #include <math.h>
    #include <stdlib.h>
    #include <unistd.h>
    typedef struct { int hints; float lower, upper; } range;
    typedef struct descriptor {
      unsigned long id; const char *label; int properties; const char *name, *maker, *copyright;
      unsigned long count; const int *kinds; const char *const *names; const range *ranges; void *data;
      void *(*instantiate)(const struct descriptor *, unsigned long);
      void (*connect)(void *, unsigned long, float *);
      void (*activate)(void *);
      void (*run)(void *, unsigned long);
      void (*run_adding)(void *, unsigned long);
      void (*set_gain)(void *, float);
      void (*deactivate)(void *);
      void (*cleanup)(void *);
    } descriptor;
    #ifdef STEREO
    enum { SIDES = 2 };
    #else
    enum { SIDES = 1 };
    #endif
    typedef struct { float *ports[6]; float line[2][65536]; unsigned long head, done; int active; } state;
    #ifdef HANGS
    __attribute__((constructor)) static void hang(void) { for (;;) pause(); }
    #endif
    static void *instantiate(const descriptor *d, unsigned long rate) {
    #ifdef CRASHES
      *(volatile int *)0 = 1;
    #endif
    #ifdef MOST_INSTANCES
      static int instances;
      if (instances++ == MOST_INSTANCES) return 0;
    #endif
      return calloc(1, sizeof(state));
    }
    static void connect(void *s, unsigned long port, float *data) { ((state *)s)->ports[port] = data; }
    static void activate(void *s) { ((state *)s)->active = 1; }
    static void deactivate(void *s) { if (!((state *)s)->active) abort(); ((state *)s)->active = 0; }
    static void cleanup(void *s) { if (((state *)s)->active) abort(); free(s); }
    static void run(void *data, unsigned long frames) {
      state *s = data;
      if (!s->active) abort();
    #ifdef HANGS_FROM
      while (s->done >= HANGS_FROM) pause();
    #endif
      for (unsigned long i = 0; i < frames; i++) {
        for (int side = 0; side < SIDES; side++) s->line[side][s->head & 65535] = s->ports[2 + side][i];
        for (int side = 0; side < SIDES; side++) {
          float x = *s->ports[0] * s->line[SIDES - 1 - side][(s->head - DELAY) & 65535];
    #ifdef NAN_FROM
          if (s->done >= NAN_FROM) x = NAN;
    #endif
          s->ports[2 + SIDES + side][i] = x;
        }
        s->head++;
        s->done++;
      }
    #ifdef LATER_DELAY
      *s->ports[1] = s->done > 8192 ? LATER_DELAY : DELAY;
    #else
      *s->ports[1] = DELAY;
    #endif
    }
    #ifdef STEREO
    static const int kinds[] = {5, 6, 9, 9, 10, 10};
    static const char *const names[] = {"Gain", "latency", "In L", "In R", "Out L", "Out R"};
    #else
    static const int kinds[] = {5, 6, 9, 10};
    static const char *const names[] = {"Gain", "latency", "In", "Out"};
    #endif
    #ifdef RATE_RELATIVE
    static const range ranges[6] = {{0x1 | 0x2 | 0x8 | 0x240, 0, 1.0f / 24000}};
    #else
    static const range ranges[6] = {{0x1 | 0x2 | 0x240, 0, 2}};
    #endif
    static const descriptor it = {1, "test", PROPERTIES, "Test", "nearend", "none", 2 + 2 * SIDES, kinds, names, ranges, 0,
      instantiate, connect, activate, run, 0, 0, deactivate, cleanup};
    const descriptor *ladspa_descriptor(unsigned long index) { return index ? 0 : &it; }
    """
}
