import Foundation
import Platform
import SessionModel
import Synchronization

/// The programs that have joined through the control socket, each with what ends with it: its media, and settings it has borrowed. [any]
final class Programs: Sendable {
  /// A setting that a program has changed until it leaves.
  private struct Loan {
    var former: EventValue
    var set: EventValue
  }
  private struct Program {
    let name: String
    let process: Int?
    let feed: EventFeed
    /// Media by the names that this nearend has assigned.
    var media: [String] = []
    var loans: [Setting: Loan] = [:]
  }
  private struct State {
    var programs: [Int: Program] = [:]
    var last = 0
  }
  private let state = Mutex(State())

  /// Returns the new program's number.
  func add(name: String, process: Int?, feed: EventFeed) -> Int {
    state.withLock { state in
      state.last += 1
      state.programs[state.last] = Program(name: name, process: process, feed: feed)
      return state.last
    }
  }

  /// The processes of the programs, as they say themselves.
  var processes: Set<Int> { Set(state.withLock { $0.programs.values.compactMap(\.process) }) }

  func contains(_ number: Int) -> Bool { state.withLock { $0.programs[number] != nil } }

  func name(_ number: Int) -> String? { state.withLock { $0.programs[number]?.name } }

  func owns(_ number: Int, media: String) -> Bool { state.withLock { $0.programs[number]?.media.contains(media) ?? false } }

  /// The number of the program's media.
  func mediaCount(of number: Int) -> Int { state.withLock { $0.programs[number]?.media.count ?? 0 } }

  /// Returns false if the program has gone meanwhile.
  func note(media: String, of number: Int) -> Bool {
    state.withLock { state in
      guard state.programs[number] != nil else { return false }
      state.programs[number]?.media.append(media)
      return true
    }
  }

  func forget(media: String) {
    state.withLock { state in
      for number in Array(state.programs.keys) { state.programs[number]?.media.removeAll { $0 == media } }
    }
  }

  /// Records a program's change of a setting, with the value before the first program's change.
  func note(loan setting: Setting, former: EventValue, set: EventValue, by number: Int) {
    state.withLock { state in
      let first = state.programs.values.compactMap { $0.loans[setting]?.former }.first ?? former
      state.programs[number]?.loans[setting] = first == set ? nil : Loan(former: first, set: set)
    }
  }

  /// Posts `didRecover` to one program alone.
  func postRecovery(to number: Int) {
    let feed = state.withLock { $0.programs[number]?.feed }
    feed?.add(AudioEvent(.didRecover, time: Date().timeIntervalSince1970, detail: ["program": .integer(number)]))
  }

  /// Removes a program. Returns its media, and the settings to restore: those that no other program has borrowed.
  func remove(_ number: Int) -> (media: [String], settings: [Setting: (former: EventValue, set: EventValue)]) {
    state.withLock { state in
      guard let program = state.programs.removeValue(forKey: number) else { return ([], [:]) }
      let others = state.programs.values.flatMap(\.loans.keys)
      return (program.media, program.loans.filter { !others.contains($0.key) }.mapValues { ($0.former, $0.set) })
    }
  }
}

extension NearendService {
  /// Handles the departure of a program: unregisters its media with sinks and source, and restores the settings that it had borrowed.
  func programLeft(_ program: Int) {
    let name = programs.name(program) ?? "?"
    let borrowed = ControlEndpoints.registering.withLock { _ in programs.remove(program) }
    for id in borrowed.media { session.send(.unregisterMedia(id: id)) }
    // What it plays otherwise is another program's now.
    graph.demandChanged()
    // A value that was changed since is intended, and stays.
    for (setting, (former, set)) in borrowed.settings where value(of: setting) == set { restore(setting, to: former) }
    log.add(.info, "\(name) has left\(borrowed.media.isEmpty ? "" : ", and with it \(borrowed.media.joined(separator: ", "))")")
  }

  /// Changes settings on behalf of a program, and remembers those that are to end with it; none of them without a program.
  func change(_ values: [String: EventValue], for program: Int?, _ change: () throws(SettingError) -> Void) throws(SettingError) {
    let scoped = values.keys.compactMap { Setting(named: $0) }.filter { $0.has(.endsWithProgram) }
    let former = scoped.map { ($0, value(of: $0)) }
    try change()
    guard let program else { return }
    for (setting, former) in former { programs.note(loan: setting, former: former, set: value(of: setting), by: program) }
  }

  /// Registers a program's media under its own name, with a number appended if that is taken, because two programs may choose the same one.
  /// Returns the name.
  func register(_ media: Media, of program: Int) throws -> String {
    try ControlEndpoints.registering.withLock { _ in
      guard programs.mediaCount(of: program) < ClientMedia.most else { throw ClientMedia.tooMany }
      let taken = Set(core.mixer.ids)
      func isFree(_ name: String) -> Bool { session.current.program(name) == nil && !taken.contains(name) }
      var (name, number) = (media.id, 1)
      while !isFree(name) {
        number += 1
        name = "\(media.id.prefix(IdRule.lengths.upperBound - 6)).\(number)"
      }
      // Noted first, because the end of the program, which may come at any time, unregisters only what is noted.
      guard programs.note(media: name, of: program) else { throw RequestFailure(409, "program \(program) has left") }
      if let refusal = session.send(.registerMedia(id: name, isSend: media.isSend, isReceive: media.isReceive)) {
        programs.forget(media: name)
        throw RequestFailure(503, refusal.description)
      }
      return name
    }
  }
}
