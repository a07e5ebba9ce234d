import Glibc

/// Returns what a shell command writes to standard output, at most 4,096 bytes; "" if it cannot be run. The command is ended after
/// `seconds`. Replaces Foundation's `Process`, which brings ICU into the program. [any]
package func output(ofCommand command: String, within seconds: Int) -> String {
  guard let stream = popen("exec timeout \(seconds) \(command) </dev/null 2>/dev/null", "re") else { return "" }
  defer { pclose(stream) }
  return String(decoding: (try? contents(of: fileno(stream), atMost: 4_096)) ?? [], as: UTF8.self)
}
