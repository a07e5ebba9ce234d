import Glibc

/// Returns CLOCK_MONOTONIC in ns: the clock that PipeWire and every process share. [any]
package func monotonicNanoseconds() -> UInt64 {
  let time = now(of: CLOCK_MONOTONIC)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns CLOCK_MONOTONIC in seconds. [any]
package func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }

/// Returns CLOCK_BOOTTIME in seconds, which continues while the machine sleeps, and measures the length of interruptions. [any]
package func secondsSinceBoot() -> Double { seconds(now(of: CLOCK_BOOTTIME)) }

/// Returns the processor time in seconds that the process has used. [any]
package func processorSeconds() -> Double { seconds(now(of: CLOCK_PROCESS_CPUTIME_ID)) }

/// Returns the processor time in seconds that the calling thread has used. [any]
package func threadProcessorSeconds() -> Double { seconds(now(of: CLOCK_THREAD_CPUTIME_ID)) }

private func now(of clock: clockid_t) -> timespec {
  var time = timespec()
  clock_gettime(clock, &time)
  return time
}

private func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
