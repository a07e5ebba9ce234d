internal import Glibc
internal import Platform

/// DeepFilterNet 3 through its C library, which is loaded on demand (Schröter et al., 2023). [control], one thread at a time
// `@unchecked Sendable`: the state belongs to the one thread that isolates; the functions are immutable, and the library stays loaded.
package final class DeepFilter: VoiceIsolator, @unchecked Sendable {
  private typealias Create =
    @convention(c) (_ model: UnsafePointer<CChar>, _ mostAttenuation: Float, _ logLevel: UnsafePointer<CChar>?) -> OpaquePointer?
  private typealias FrameLength = @convention(c) (OpaquePointer) -> Int
  private typealias Process = @convention(c) (OpaquePointer, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Float
  private typealias Free = @convention(c) (OpaquePointer) -> Void

  package let name = "DeepFilterNet 3"
  /// One hop of its transform and two of look-ahead.
  package let delay = 1440
  /// Where library and model were loaded from.
  package let files: IsolationFiles
  private let state: OpaquePointer
  private let process: Process
  private let free: Free
  /// A copy of the block, because the library writes to its input.
  private let input: Samples

  /// Loads library and model, which takes half a second.
  /// - Throws: `IsolationError`.
  package init(_ files: IsolationFiles) throws(IsolationError) {
    let handle = try Self.open(files.library)
    // The library terminates the process if it cannot read the model.
    try Self.check(model: files.model)
    let create: Create = try Self.function("df_create", in: handle, of: files.library)
    let length: FrameLength = try Self.function("df_get_frame_length", in: handle, of: files.library)
    process = try Self.function("df_process_frame", in: handle, of: files.library)
    free = try Self.function("df_free", in: handle, of: files.library)
    // Introduced with the models of the third generation.
    guard dlsym(handle, "df_set_post_filter_beta") != nil else {
      throw .library(path: files.library, reason: "it is too old for DeepFilterNet 3")
    }
    // 100 dB are in effect no limit. Older libraries ignore the third argument.
    guard let state = create(files.model, 100, nil) else { throw .library(path: files.library, reason: "it does not start") }
    let frames = length(state)
    guard frames == IsolationTiming.block else {
      free(state)
      throw .library(path: files.library, reason: "it takes blocks of \(frames) frames, not of \(IsolationTiming.block)")
    }
    self.files = files
    self.state = state
    input = Samples(IsolationTiming.block)
  }

  deinit { free(state) }

  /// Loads what is installed.
  /// - Throws: `IsolationError`.
  package convenience init(environment: [String: String]) throws(IsolationError) { try self.init(IsolationFiles.find(environment)) }

  /// Isolates a copy of a block of `IsolationTiming.block` frames, because the library writes to its input. [the worker]
  package func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>) {
    copy(block, to: input.start, frames: IsolationTiming.block)
    _ = process(state, input.start, voice)
  }

  /// Returns this thread's processor time, in seconds, for `seconds` of noise.
  package func processingTime(seconds: Int) -> Double {
    var random = SystemRandomNumberGenerator()
    let noise = (0..<IsolationTiming.block).map { _ in Float.random(in: -0.1...0.1, using: &random) }
    var voice = [Float](repeating: 0, count: IsolationTiming.block)
    let begin = threadProcessorSeconds()
    for _ in 0..<seconds * IsolationTiming.isolatorRate / IsolationTiming.block {
      noise.withUnsafeBufferPointer { noise in
        voice.withUnsafeMutableBufferPointer { isolate(noise.baseAddress!, into: $0.baseAddress!) }
      }
    }
    return threadProcessorSeconds() - begin
  }

  private static func open(_ path: String) throws(IsolationError) -> UnsafeMutableRawPointer {
    guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw .library(path: path, reason: dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
    }
    return handle
  }

  private static func function<Function>(
    _ name: String, in handle: UnsafeMutableRawPointer, of path: String
  ) throws(IsolationError) -> Function {
    guard let symbol = dlsym(handle, name) else { throw .library(path: path, reason: "it has no function \(name)") }
    // Safe: the type is that of the function in the library's C interface.
    return unsafeBitCast(symbol, to: Function.self)
  }

  private static func check(model path: String) throws(IsolationError) {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try contents(ofFile: path, atMost: 64 << 20) } catch { throw .model(path: path, reason: "\(error)") }
    guard SHA256.hexadecimal(of: bytes) == IsolationFiles.modelChecksum else {
      throw .model(path: path, reason: "it is not DeepFilterNet 3 as released, or was damaged")
    }
  }
}
