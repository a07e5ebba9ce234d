import Foundation

/// A violation that the fence must catch, as proof that it works.
enum Violation: String, CaseIterable {
  case allocation
  case lock

  /// Returns only if the fence is missing.
  func commit() {
    switch self {
    case .allocation:
      onTheAudioThread {
        let memory = UnsafeMutablePointer<Int>.allocate(capacity: 4_096)
        memory.initialize(to: Int(getpid()))
        memory.deallocate()
      }
    case .lock:
      var lock = pthread_mutex_t()
      pthread_mutex_init(&lock, nil)
      onTheAudioThread {
        pthread_mutex_lock(&lock)
        pthread_mutex_unlock(&lock)
      }
      pthread_mutex_destroy(&lock)
    }
  }
}
