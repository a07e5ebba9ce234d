import ControlClient
import Foundation
import RealtimeCore
import SessionModel
import SimulatedHardware
import Synchronization
import TestSupport

@testable import Nearend

/// nearend with its control socket but without a daemon; the rig runs cycles of 480 frames at 48 kHz, at a multiple of real time.
final class ControlRig: @unchecked Sendable {
  let service: NearendService
  let folder: String
  let path: String
  private let isRunning = Mutex(true)
  private let mix = Mutex<[Float]>([])
  private let sent = Mutex<[Float]>([])
  private let cycles = DispatchGroup()

  static let quantum = 480
  static let rate = 48_000

  /// - Parameters:
  ///   - folder: the folder of an earlier rig, to replace it; nil for a new one.
  ///   - speed: cycles relative to real time; 0 runs none.
  init(in folder: String? = nil, speed: Double = 4, isManual: Bool = false, limits: ControlLimits = ControlLimits()) throws {
    self.folder = try folder ?? temporaryFolder()
    path = "\(self.folder)/nearend/control.sock"
    var settings = SessionSettings()
    settings.isManual = isManual
    service = try NearendService(NearendOptions(session: settings, controlSocket: path))
    try service.openControlSocket(limits: limits)
    if speed > 0 {
      cycles.enter()
      let thread = Thread { [self] in runCycles(speed) }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  deinit { stop() }

  /// Ends the cycles and the service. Idempotent.
  /// - Parameter keepsFolder: whether the folder stays, for a rig that replaces this one.
  func stop(keepsFolder: Bool = false) {
    let wasRunning = isRunning.withLock { running in
      defer { running = false }
      return running
    }
    guard wasRunning else { return }
    service.stop()
    cycles.wait()
    if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// The left speaker's samples since the start.
  var played: [Float] { mix.withLock { $0 } }

  /// The outgoing voice since the start, application audio included.
  var outgoing: [Float] { sent.withLock { $0 } }

  private func runCycles(_ speed: Double) {
    var (left, right) = ([Float](repeating: 0, count: Self.quantum), [Float](repeating: 0, count: Self.quantum))
    var voice = left
    var next = monotonicSeconds()
    var cycle = 0
    while isRunning.withLock({ $0 }) {
      left.withUnsafeMutableBufferPointer { left in
        right.withUnsafeMutableBufferPointer { right in
          voice.withUnsafeMutableBufferPointer { voice in
            var buffers = CycleBuffers(frames: Self.quantum, rate: Self.rate, position: UInt64(cycle * Self.quantum), driver: 1)
            buffers.speaker = (left.baseAddress, right.baseAddress)
            buffers.voice = voice.baseAddress
            service.core.realtime.process(&buffers, graphSinks: nil)
          }
        }
      }
      mix.withLock { $0 += left }
      sent.withLock { $0 += voice }
      cycle += 1
      // Cycles that a busy machine delays are not made up for: a burst of them would consume faster than writers can follow.
      next = max(next + Double(Self.quantum) / Double(Self.rate) / speed, monotonicSeconds())
      usleep(UInt32(max(0, next - monotonicSeconds()) * 1e6))
    }
    cycles.leave()
  }

  // MARK: Requests

  var client: ControlClient { ControlClient(path: path) }

  /// Sends a request with a small answer.
  @discardableResult
  func request(_ method: String, _ target: String, _ json: String? = nil) throws -> HTTPAnswer {
    try client.request(method, target, json: json.map { Data($0.utf8) })
  }

  /// The error's text if the answer has this status; otherwise nil.
  func refusal(_ status: Int, _ method: String, _ target: String, _ json: String? = nil) throws -> String? {
    let answer = try request(method, target, json)
    return answer.status == status ? answer.reason : nil
  }

  func raw() throws -> RawClient { try RawClient(path: path) }

  var snapshot: Snapshot { service.snapshot() }

  /// Waits until a fact is true.
  func wait(_ fact: () throws -> Bool) rethrows -> Bool { try eventually(fact) }
}

func temporaryFolder() throws -> String {
  var template = Array("/tmp/nearend-control.XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func descriptorCount() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? -1 }
