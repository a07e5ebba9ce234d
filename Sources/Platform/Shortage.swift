import Glibc

/// What this process gets no more of: the cause of a failure that has another name, or none. [any]
package enum Shortage: Sendable, Equatable {
  case descriptors, threads, memory

  /// Descriptors that a part of nearend may need at once.
  package static let mostNeeded = 16
  /// Descriptors that a session takes.
  package static let mostNeededBySession = 64

  /// What is short, judged by a call's `errno`, and by whether there are as many descriptors as a library may have needed, whose own error
  /// may be any other; nil for nothing.
  package init?(code: Int32) {
    switch code {
    case EMFILE, ENFILE: self = .descriptors
    case EAGAIN: self = .threads
    case ENOMEM: self = .memory
    default:
      guard Shortage.lacksDescriptors(Self.mostNeeded) else { return nil }
      self = .descriptors
    }
  }

  /// Returns whether fewer than `count` descriptors are left, by opening them for a moment.
  package static func lacksDescriptors(_ count: Int) -> Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < count {
      let descriptor = open("/", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
      opened.append(descriptor)
    }
    return false
  }

  /// What is short, in words.
  package var problem: String {
    switch self {
    case .descriptors: "too few descriptors of files are left: this process may have \(Self.descriptorLimit)"
    case .threads: "the system has no thread to spare for this user"
    case .memory: "memory is short"
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .descriptors: "raise the limit (ulimit -n 1024)"
    case .threads: "end other programs, or raise the limit (ulimit -u)"
    case .memory: "end other programs"
    }
  }

  /// What is short, and what to do about it.
  package var advice: String { "\(problem); \(remedy)" }

  private static var descriptorLimit: UInt {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
  }
}
