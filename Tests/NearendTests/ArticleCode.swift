import Nearend

// The code of the articles in Nearend.docc, of Documentation/library.md and of Nearend's doc comments, line by line; ArticleTests compares
// them.

func joinAndTake(_ farEnd: [Int16], _ send: ([Int16]) -> Void) async throws {
  let call = try await AudioSession.shared.join("call")
  try call.makeOutput().write(farEnd)
  for await buffer in try call.microphone() { send(buffer.samples) }
}

func joinEach(_ samples: [Int16]) async throws -> Call {
  // A call that takes the microphone, and one for each participant that is heard.
  let me = try await AudioSession.shared.join("me", receives: false)
  let alice = try await AudioSession.shared.join("alice", sends: false)
  let output = try alice.makeOutput(sampleRate: 16_000)
  try output.write(samples)
  await alice.end()
  return me
}

func write(_ frame: [Int16], _ wholeFile: [Int16], _ call: Call) async throws -> Int {
  var early = 0
  let output = try call.makeOutput(sampleRate: 16_000)
  // Refused whole where it does not fit: the writer is early, and drops the frame.
  do throws(WriteError) { try output.write(frame) } catch {
    guard case .full = error else { throw error }
    early += 1
  }
  // Waits for room instead.
  try await output.play(wholeFile)
  return early
}

func take(_ manager: AudioSessionManager, _ send: ([Int16]) -> Void) async throws {
  for await buffer in try manager.microphoneBuffers(mediaId: "call", sampleRate: 16_000, channelCount: 1) { send(buffer.samples) }
}

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

func write(_ frame: [Int16], _ wholeFile: [Int16], to output: Call.Output) -> Task<Int, any Error> {
  // In a task, as programs do it: a closure infers less than a function.
  Task {
    var lateFrames = 0
    do throws(WriteError) {
      try output.write(frame)
    } catch {
      guard case .full = error else { throw error }
      lateFrames += 1
    }
    try await output.play(wholeFile)
    return lateFrames
  }
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
  try session.configure { $0.defaultDevices = .auto }
  try session.set(.useVoiceProcessingIO(true))
  session.isMicrophoneMuted = true
  session.micMode = .voiceIsolation
}

func talk(_ samples: [Int16], _ send: ([Int16]) -> Void) async throws {
  let call = try await AudioSession.shared.join("call", sends: true, receives: true)

  // The far end with 200 ms of buffer. Where that is full, WriteError.full is thrown, and the frame dropped whole.
  let output = try call.makeOutput(sampleRate: 48_000, channels: 1, bufferDuration: .milliseconds(200))
  try output.write(samples)

  // The microphone without the echo, 10 ms at a time.
  for await buffer in try call.microphone(sampleRate: 48_000, channels: 1) { send(buffer.samples) }

  await call.end()
}

func render(_ samples: [Int16], _ block: [Float], _ play: (StereoBlock) -> Void, _ send: ([Float]) -> Void) throws {
  let renderer = try ManualRenderer(rate: 48_000)
  let bob = try renderer.makeOutput(sampleRate: 16_000)
  try bob.write(samples)
  let cycle = try renderer.cycle(microphone: block)
  play(cycle.speaker)
  send(cycle.voice)
}

func observe() throws {
  struct Quieter: AudioEngineObserver {
    func engineWillConnectOutput(_ engine: AudioEngine) throws {
      engine.renderStages.append(
        AudioStage(latency: 0) { context, left, right, frames, sampleRate in
          for i in 0..<frames {
            left[i] *= 0.5
            right?[i] *= 0.5
          }
        })
    }
  }
  try AudioSession.shared.setEngineObservers([Quieter()])
}

func joinWhatRuns() async throws -> Call {
  let call = try await AudioSession.shared.join("call")
  if AudioSession.shared.mode == .joined { print("one more in the nearend that runs") }
  return call
}

func prepare() async throws {
  let session = AudioSession.shared
  // Keeps the microphone open, so that the next call's first audio comes within a cycle.
  try await session.setRecordingPrepared(true)
  // Headphones were unplugged, and playback paused: goes on in the room.
  if session.isPausedAfterUnplug { session.resumeAfterUnplug() }
}

func activate() async throws -> Call {
  let session = AudioSession.shared
  try session.set(.manualAudioSessionManagement(true))
  let call = try await session.join("call")
  try session.activate()
  return call
}

func playIntoMicrophone(_ samples: [Float]) throws {
  let jingle = try AppAudioBuffer(interleaved: samples, sampleRate: 44_100, channelCount: 2)
  try AudioSession.shared.playIntoMicrophone(jingle)
}
