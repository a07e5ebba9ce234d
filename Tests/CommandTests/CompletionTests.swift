import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

/// What <Tab> offers, as bash asks for it; the other shells' scripts ask nearend the same questions.
@Suite("Completion", .serialized)
struct CompletionTests {
  /// Lets bash complete the last of `words`.
  private func complete(_ words: String..., in place: any Place) throws -> [String] {
    let script = "\(place.path)/completion.bash"
    if !FileManager.default.fileExists(atPath: script) {
      try place.nearend("--generate-completion-script", "bash").output.write(toFile: script, atomically: true, encoding: .utf8)
    }
    // As bash calls it: the words, the number of the current one, the line, and the place of the cursor.
    let program = """
      source "$1"; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
      _nearend "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try place.start("bash", ["-c", program, "bash", script, nearendProgram] + words).result()
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test("O5: settings and their words are completed, without a running nearend")
  func words() throws {
    let place = try EmptyPlace()
    #expect(
      try complete("set", "mic", in: place) == [
        "micMode", "micVolume", "microphone", "microphoneChannels", "microphoneMuteMode", "microphoneMuted",
      ])
    #expect(try complete("get", "hp", in: place) == ["hpf"])
    #expect(try complete("set", "aec", "", in: place).filter { !$0.hasPrefix("-") } == ["nearend", "off", "webrtc"])
    #expect(try complete("set", "micMode", "v", in: place) == ["voiceIsolation"])
    #expect(try complete("set", "ns", "o", in: place) == ["off", "on"])
    #expect(try complete("set", "ns", "on", "o", in: place) == [], "a setting has one value")
    #expect(try complete("sink", "remove", "", in: place).filter { !$0.hasPrefix("-") } == [])
    try Data().write(to: URL(fileURLWithPath: "\(place.path)/talk.flac"))
    #expect(try complete("process", "--mic", "\(place.path)/ta", in: place) == ["\(place.path)/talk.flac"])
  }

  @Test("O5: devices and the running nearend's participants are completed, and without it the devices of PipeWire")
  func names() throws {
    let session = try plainSession()
    #expect(try complete("--mic", "", in: session) == ["hw.mic"])
    let running = try session.startNearend("--headless", "--sink", "alice", "--sink", "bob")
    try session.wait(forPorts: ["nearend.speaker:playback_FL", "nearend.microphone:capture_MONO"])
    #expect(try complete("--speaker", "", in: session) == ["hw.speaker"])
    #expect(try complete("set", "microphone", "hw", in: session) == ["hw.mic"])
    #expect(try complete("sink", "remove", "", in: session).filter { !$0.hasPrefix("-") } == ["alice", "bob"])
    #expect(try complete("sink", "remove", "b", in: session) == ["bob"])
    running.process.signal(SIGTERM)
    #expect(running.result().succeeded)
  }

  @Test("O5: every shell's script asks for the same candidates", arguments: ["bash", "zsh", "fish"])
  func scripts(shell: String) throws {
    let script = try EmptyPlace().nearend("--generate-completion-script", shell).output
    for question in [
      "---completion -- --mic", "---completion -- --speaker", "---completion set -- positional@1",
      "---completion sink remove -- positional@0", "---completion stage remove -- positional@0", "---completion hang-up -- positional@0",
    ] { #expect(script.contains(question), "\(question)") }
    #expect(script.contains("highPassFilter"))
  }
}
