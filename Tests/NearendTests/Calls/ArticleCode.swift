import Nearend

// The code of the article Nearend.docc/Calls.md, line by line, so that it is compiled; CallArticleTests compares the two.

func joinPlayAndTake(_ decodedSamples: [Int16], _ encode: ([Int16]) -> Void) async throws {
  let call = try await AudioSession.shared.join("call", sends: true, receives: true)

  // The far end: 200 ms of buffer at 48 kHz mono.
  let output = try call.makeOutput(sampleRate: 48_000, channels: 1, bufferDuration: .milliseconds(200))
  try output.write(decodedSamples)

  // The microphone without its echo, 10 ms at a time.
  for await buffer in try call.microphone(sampleRate: 48_000, channels: 1) {
    encode(buffer.samples)
  }
}

func joinGroup() async throws -> (Call, [Call.Output]) {
  let me = try await AudioSession.shared.join("me", receives: false)
  let alice = try await AudioSession.shared.join("alice", sends: false).makeOutput(sampleRate: 16_000)
  let bob = try await AudioSession.shared.join("bob", sends: false).makeOutput(channels: 2)
  return (me, [alice, bob])
}

func joinOrShow(_ show: (String) -> Void) async -> Call? {
  do throws(JoinError) {
    return try await AudioSession.shared.join("call")
  } catch {
    switch error {
    case .cannotStart(.noDaemon(let reason)): show("no sound server: \(reason)")
    case .cannotStart, .alreadyJoined, .neitherSendsNorReceives: show(error.description)
    }
    return nil
  }
}

func write(_ frame: [Int16], _ wholeFile: [Int16], to output: Call.Output, lateFrames: inout Int) async throws {
  do {
    try output.write(frame)
  } catch {
    guard case .full = error else { throw error }
    lateFrames += 1
  }
  try await output.play(wholeFile)
}

func follow(_ show: (String) -> Void) async {
  for await event in AudioSession.shared.events {
    switch event.kind {
    case .interrupted(let reason): show("interrupted: \(reason.rawValue)")
    case .recovered: show("sound again at \(event.date)")
    case .routeChanged(let change): show("now \(change.route.outputs.map(\.description))")
    case .outputRanDry(let id, let total): show("\(id) was late \(total) times")
    default: break
    }
  }
}

func configure() throws {
  let session = AudioSession.shared
  try session.configure { $0.areDefaultDevices = true }
  try session.set(.useVoiceProcessingIO(true))
  session.isMicrophoneMuted = true
  session.micMode = .voiceIsolation
}
