import Foundation

/// Shows progress in the last line of a terminal, and nowhere else.
final class ProgressMeter {
  let isShown = isatty(STDERR_FILENO) == 1
  private var shown = ""
  private static let width = 40

  /// - Parameters:
  ///   - label: the name of the task.
  ///   - share: the share done, 0–1.
  ///   - rest: text after that.
  func show(_ label: String, _ share: Double, _ rest: String = "") {
    guard isShown else { return }
    let percent = Int(share * 100)
    let done = percent * Self.width / 100
    let bar = String(repeating: "#", count: done) + String(repeating: ".", count: Self.width - done)
    let text = "\(label) [\(bar)] \(percent) %\(rest)"
    guard text != shown else { return }
    shown = text
    write("\r\(text)\u{1B}[K")
  }

  func clear() {
    guard isShown, !shown.isEmpty else { return }
    shown = ""
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { Array(text.utf8).withUnsafeBytes { _ = writeWhole($0, to: STDERR_FILENO) } }
}
