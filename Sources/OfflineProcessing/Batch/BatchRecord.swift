import Foundation
import Nearend
import Platform
import RealtimeCore
import SessionModel

/// The outcome of a case, beside its voice: `<name>.json`, written last. From it a continued batch knows what is done.
struct BatchRecord: Codable, Equatable {
  /// The state of a file when it was read.
  struct Input: Codable, Equatable {
    var path: String
    var bytes: Int
    /// Time of the last change in ns since 1970.
    var changed: Int

    /// Returns nil if the file does not exist.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.path = path
      bytes = Int(status.st_size)
      changed = Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec)
    }
  }

  /// Everything that determines the voice: a different origin gives a different voice.
  struct Origin: Codable, Equatable {
    var version: String
    var microphone: Input
    var reference: Input?
    /// By name, as texts, because JSON does not distinguish 1 from 1.0.
    var settings: [String: String]
    var quantum: Int?
    var sampleType: String?
    var keepsDelay: Bool
    /// nil if it is the standard.
    var tuning: Tuning?

    /// Returns nil if an input does not exist.
    init?(_ options: OfflineOptions) {
      guard let microphone = Input(options.microphone) else { return nil }
      if let path = options.farEnd {
        guard let input = Input(path) else { return nil }
        reference = input
      }
      version = nearendVersion
      self.microphone = microphone
      settings = Dictionary(uniqueKeysWithValues: options.settings.map { ($0.key.rawValue, "\($0.value)") })
      (quantum, sampleType, keepsDelay) = (options.quantum, options.sampleType.map { "\($0)" }, options.keepsDelay)
      tuning = options.tuning == .standard ? nil : options.tuning
    }
  }

  var origin: Origin
  /// The size of the voice's file.
  var bytes: Int
  var metrics: ProcessingMetrics
  /// Remarks on the files, for people.
  var notes: [String]

  /// Reads the record at `path`, if it has this origin and its voice exists.
  static func read(_ path: String, voice: String, origin: Origin?) -> BatchRecord? {
    guard let origin, let bytes = try? contents(ofFile: path),
      let record = try? JSONDecoder().decode(BatchRecord.self, from: Data(bytes)), record.origin == origin,
      let there = Input(voice), there.bytes == record.bytes
    else { return nil }
    return record
  }

  /// Writes it, whole or not at all.
  func write(_ path: String) throws(OfflineError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let document = try? encoder.encode(self) else { throw .output(file: path, reason: "its metrics are not finite") }
    try writeWhole(document, to: path)
  }
}

/// Writes a file, whole or not at all.
func writeWhole(_ data: some Sequence<UInt8>, to path: String) throws(OfflineError) {
  let pending = try PendingFile(path: path)
  do throws(SystemError) { try write(data, to: pending.descriptor) } catch { throw .output(file: path, reason: "\(error)") }
  try pending.finish()
}
