import SessionModel
import Testing

@Suite("Participants' ids")
struct ParticipantIdTests {
  @Test("K9: a valid device name is accepted as an id", arguments: ["alice", "a", "Bob.2", "x-y_z", String(repeating: "n", count: 64)])
  func allowed(id: String) { #expect(ParticipantId.problem(id) == nil) }

  @Test(
    "K9: an id that cannot be a device's name is refused, with what would be valid",
    arguments: ["", "a b", "a/b", "é", String(repeating: "n", count: 65)])
  func impossible(id: String) { #expect(ParticipantId.problem(id)?.contains("1 to 64 letters") == true) }

  @Test("K9: the names of nearend's own ports are refused", arguments: ["mic", "ref", "call", "voice", "speaker"])
  func reserved(id: String) { #expect(ParticipantId.problem(id)?.contains("choose another") == true) }
}
