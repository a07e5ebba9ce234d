/// Takes everything but the voice out of a microphone: a neural network, which allocates and takes its time, so that it never runs on the
/// audio thread (V12). One thread at a time uses it.
public protocol VoiceIsolator: AnyObject, Sendable {
  /// "DeepFilterNet 3".
  var name: String { get }
  /// Frames at 48 kHz by which what it puts out is later than what it takes.
  var delay: Int { get }
  /// Takes a block of 480 frames at 48 kHz, and puts out as many. [the worker]
  func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>)
}

/// Why there is no voice isolation. [any]
public enum IsolationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Neither `nearend isolation install` nor the distribution has put it where it is looked for.
  case notInstalled
  /// The library is there, but not its model.
  case noModel(library: String)
  /// The library cannot be loaded, or is another one.
  case library(path: String, reason: String)
  /// The model is not the one that the library is known to take: it would end the process over another one.
  case model(path: String, reason: String)
  /// There is not enough memory.
  case outOfMemory

  static let remedy = "`nearend isolation install` fetches it (13 MB)"

  public var description: String {
    switch self {
    case .notInstalled: "voice isolation is not installed: \(Self.remedy)"
    case .noModel(let library): "voice isolation has a library, \(library), but no model \(IsolationFiles.modelName): \(Self.remedy)"
    case .library(let path, let reason): "voice isolation's library \(path) cannot be used: \(reason); \(Self.remedy)"
    case .model(let path, let reason): "voice isolation's model \(path) cannot be used: \(reason); \(Self.remedy)"
    case .outOfMemory: "there is not enough memory for voice isolation"
    }
  }
}
