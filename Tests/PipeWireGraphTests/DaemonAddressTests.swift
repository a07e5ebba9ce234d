import PipeWireClient
import Testing

@Suite("Where the daemon is")
struct DaemonAddressTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var remote: String?
    var environment: [String: String]
    var problem: String
    var remedy: String?
    var testDescription: String { problem }
  }

  static let cases = [
    Case(environment: [:], problem: "XDG_RUNTIME_DIR, the folder of its socket, is not set", remedy: "export XDG_RUNTIME_DIR=/run/user/"),
    Case(
      environment: ["XDG_RUNTIME_DIR": "/gone"], problem: "XDG_RUNTIME_DIR is /gone, which is not there",
      remedy: "export XDG_RUNTIME_DIR=/run/user/"),
    Case(
      environment: ["XDG_RUNTIME_DIR": "/etc/passwd"], problem: "XDG_RUNTIME_DIR is /etc/passwd, which is no folder",
      remedy: "export XDG_RUNTIME_DIR=/run/user/"),
    Case(
      environment: ["XDG_RUNTIME_DIR": "/run/user/1", "PIPEWIRE_RUNTIME_DIR": "/gone"],
      problem: "PIPEWIRE_RUNTIME_DIR is /gone, which is not there", remedy: "unset PIPEWIRE_RUNTIME_DIR"),
    Case(
      environment: ["XDG_RUNTIME_DIR": "/run/user/1", "PIPEWIRE_REMOTE": "foo"],
      problem: "no PipeWire daemon at /run/user/1/foo, which PIPEWIRE_REMOTE names (why)", remedy: "unset PIPEWIRE_REMOTE"),
    Case(
      environment: ["PIPEWIRE_REMOTE": "/elsewhere/pipewire-0"],
      problem: "no PipeWire daemon at /elsewhere/pipewire-0, which PIPEWIRE_REMOTE names (why)", remedy: "unset PIPEWIRE_REMOTE"),
    Case(environment: ["XDG_RUNTIME_DIR": "/run/user/1"], problem: "no PipeWire daemon at /run/user/1/pipewire-0 (why)"),
    Case(
      remote: "/private/pipewire-0", environment: ["PIPEWIRE_REMOTE": "foo"], problem: "no PipeWire daemon at /private/pipewire-0 (why)"),
  ]

  @Test("O1: an error of connecting names the variable or the path that is the cause, and what to do", arguments: cases)
  func causes(_ wrong: Case) {
    let address = DaemonAddress(
      remote: wrong.remote, value: { wrong.environment[$0] }, fault: { ["/gone": "is not there", "/etc/passwd": "is no folder"][$0] })
    let error = address.error(reason: "why")
    #expect(error.description.contains(wrong.problem), "\(error)")
    #expect(wrong.remedy.map { error.remedy?.contains($0) == true } ?? (error.remedy == nil), "\(error.remedy ?? "nothing to do")")
  }
}
