/// Removes everything but the voice from a microphone's signal: a neural network, which allocates and takes its time, so that it never runs
/// on the audio thread (V12). One thread at a time uses it.
package protocol VoiceIsolator: AnyObject, Sendable {
  /// "DeepFilterNet 3".
  var name: String { get }
  /// Frames at 48 kHz by which the output lags the input.
  var delay: Int { get }
  /// Isolates a block of 480 frames at 48 kHz; outputs as many. [the worker]
  func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>)
}

/// Why there is no voice isolation. [any]
package enum IsolationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Installed neither by `nearend isolation install` nor by the distribution.
  case notInstalled
  /// The library is there, but not its model.
  case noModel(library: String)
  /// The library cannot be loaded, or is a different one.
  case library(path: String, reason: String)
  /// The model is not the one that the library is known to accept; any other would terminate the process.
  case model(path: String, reason: String)
  /// There is not enough memory.
  case outOfMemory

  static let remedy = "`nearend isolation install` fetches it (13 MB)"

  package var description: String {
    switch self {
    case .notInstalled: "voice isolation is not installed: \(Self.remedy)"
    case .noModel(let library): "voice isolation has a library, \(library), but no model \(IsolationFiles.modelName): \(Self.remedy)"
    case .library(let path, let reason): "voice isolation's library \(path) cannot be used: \(reason); \(Self.remedy)"
    case .model(let path, let reason): "voice isolation's model \(path) cannot be used: \(reason); \(Self.remedy)"
    case .outOfMemory: "there is not enough memory for voice isolation"
    }
  }

  /// The description for a place that names voice isolation already.
  package var reason: String {
    switch self {
    case .notInstalled: "it is not installed: \(Self.remedy)"
    case .noModel(let library): "it has a library, \(library), but no model \(IsolationFiles.modelName): \(Self.remedy)"
    case .library(let path, let reason): "its library \(path) cannot be used: \(reason); \(Self.remedy)"
    case .model(let path, let reason): "its model \(path) cannot be used: \(reason); \(Self.remedy)"
    case .outOfMemory: "there is not enough memory for it"
    }
  }
}
