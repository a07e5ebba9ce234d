internal import CRealtimeFence

/// Runs `body` as on the audio thread: if it allocates, locks or waits, RealtimeSanitizer ends the process with exit code 43.
func onTheAudioThread(_ body: () -> Void) {
  withoutActuallyEscaping(body) { body in
    // The closure is made outside, where allocation is allowed; inside, only its code runs.
    var body = body
    withUnsafeMutablePointer(to: &body) { pointer in
      rt_fence_run({ context in context?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
    }
  }
}

/// Whether the fence was compiled with the sanitizer.
var fenceIsArmed: Bool { rt_fence_is_armed() }
