import Dispatch
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("The manager's observers")
struct ObserverTests {
  private final class Observer: AudioSessionManagerObserver {
    private let heard = Mutex<[AudioEvent]>([])
    let heardElsewhere = Mutex(false)

    @MainActor func audioSessionManager(_: AudioSessionManager, didPost event: AudioEvent) {
      dispatchPrecondition(condition: .onQueue(.main))
      heard.withLock { $0.append(event) }
    }
    var kinds: [AudioEvent.Kind] { heard.withLock { $0.map(\.kind) } }
    var all: [AudioEvent] { heard.withLock { $0 } }
  }

  /// Waits until everything posted so far has been delivered: the main queue is serial.
  private func settled() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }

  @Test("T4: an observer is called on the main queue, once for each event however often it was added, with sourceHadAudio")
  func adding() async throws {
    let rig = ManagerRig()
    let observer = Observer()
    rig.manager.addObserver(observer)
    rig.manager.addObserver(observer)
    try rig.registerCall()
    await settled()
    #expect(observer.kinds == [.mediaRegistered, .mediaRegistered])
    #expect(observer.all.map(\.mediaId) == ["mic", "ear"])
    #expect(observer.all.allSatisfy { $0.detail["sourceHadAudio"] == .bool(false) })
  }

  @Test("T4: a removed observer hears no more, and removing an unknown one has no effect")
  func removing() async throws {
    let rig = ManagerRig()
    let (kept, removed) = (Observer(), Observer())
    rig.manager.addObserver(kept)
    rig.manager.addObserver(removed)
    rig.manager.removeObserver(Observer())
    rig.manager.removeObserver(removed)
    rig.manager.removeObserver(removed)
    try rig.registerCall()
    await settled()
    #expect(kept.kinds.count == 2)
    #expect(removed.kinds == [])
  }

  @Test("T4: an observer is held weakly")
  func weakness() async throws {
    let rig = ManagerRig()
    weak var gone: Observer?
    do {
      let observer = Observer()
      gone = observer
      rig.manager.addObserver(observer)
      #expect(gone != nil)
    }
    #expect(gone == nil)
    try rig.registerCall()
    await settled()
  }

  @Test("T4: observers stay from session to session")
  func sessions() async throws {
    let rig = ManagerRig()
    let observer = Observer()
    rig.manager.addObserver(observer)
    for _ in 0..<2 {
      try rig.registerCall()
      rig.unregisterCall()
    }
    await settled()
    #expect(observer.kinds.count { $0 == .mediaRegistered } == 4)
    #expect(observer.kinds.count { $0 == .mediaUnregistered } == 4)
  }

  @Test("T4: each stream of events has every event from when it was made")
  func streams() async throws {
    let rig = ManagerRig()
    let first = rig.manager.events
    try rig.manager.registerMedia(id: "mic", isSend: true, isReceive: false)
    let second = rig.manager.events
    rig.manager.unregisterMedia(id: "mic")
    var heard: [[AudioEvent.Kind]] = []
    for (stream, count) in [(first, 2), (second, 1)] {
      var kinds: [AudioEvent.Kind] = []
      for await event in stream {
        kinds.append(event.kind)
        if kinds.count == count { break }
      }
      heard.append(kinds)
    }
    #expect(heard == [[.mediaRegistered, .mediaUnregistered], [.mediaUnregistered]])
  }
}
