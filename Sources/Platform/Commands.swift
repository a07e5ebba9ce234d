import Glibc

/// What a shell's command writes to standard output, at most 4,096 bytes; "" where it cannot be run. It is ended after so many seconds.
/// Takes the place of Foundation's `Process`, which brings ICU into the program. [any]
public func output(ofCommand command: String, within seconds: Int) -> String {
  guard let stream = popen("exec timeout \(seconds) \(command) </dev/null 2>/dev/null", "re") else { return "" }
  defer { pclose(stream) }
  return String(decoding: (try? contents(of: fileno(stream), atMost: 4_096)) ?? [], as: UTF8.self)
}
