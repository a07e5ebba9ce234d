import Foundation

/// The example `Softphone`, fed from a file at a network's pace.
enum SoftphoneProgram {
  static let path = URL(fileURLWithPath: nearendProgram).deletingLastPathComponent().path + "/Softphone"

  /// Passes standard input on at a network's pace: 20 ms of 16 kHz mono at a time.
  static let network = """
    import sys, time
    due = time.monotonic()
    while frame := sys.stdin.buffer.read(640):
        sys.stdout.buffer.write(frame)
        sys.stdout.flush()
        due += 0.02
        time.sleep(max(0, due - time.monotonic()))

    """

  /// Its output: 16-bit samples.
  static func samples(in file: String) -> [Float] {
    let data = FileManager.default.contents(atPath: file) ?? Data()
    return data.prefix(data.count & ~1).withUnsafeBytes { $0.bindMemory(to: Int16.self).map { Float($0) / 32_768 } }
  }
}
