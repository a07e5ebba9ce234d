#if NEAREND_THREAD_CHECK
  import Foundation

  /// Replaces `Synchronization.Mutex` under ThreadSanitizer, which does not see its contended path: that part of the standard library is
  /// not instrumented.
  // `@unchecked Sendable`: the value is accessed only with the lock held.
  struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ value: Value) {
      lock = .allocate(capacity: 1)
      lock.initialize(to: pthread_mutex_t())
      pthread_mutex_init(lock, nil)
      self.value = .allocate(capacity: 1)
      self.value.initialize(to: value)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    borrowing func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }
#endif
