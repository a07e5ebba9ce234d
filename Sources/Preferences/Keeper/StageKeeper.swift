import Foundation
import Nearend
import RealtimeCore
import SessionModel

/// Keeps the stages that nearend.toml lists in a running service, in the file's order. One thread at a time.
struct StageKeeper {
  private var kept: [(rule: StageRule, id: String)] = []
  private var refused: [Refusal] = []

  /// A rule whose plug-in was refused. It is not tried again until the rule or the library changes.
  private struct Refusal: Equatable {
    var rule: StageRule
    var library: FileStamp

    init(_ rule: StageRule) {
      self.rule = rule
      library = FileStamp((try? PlugInLibrary.find(rule.plugin.file, ProcessInfo.processInfo.environment)) ?? "")
    }
  }

  /// Applies the changes of the file, and returns them in words. Stages after the first new or removed one are added again, to keep the
  /// file's order. Blocks for the trials: seconds, if plug-ins hang.
  mutating func update(_ rules: [StageRule], in service: NearendService) -> [String] {
    var words: [String] = []
    let wishes = rules.map(Refusal.init)
    refused.removeAll { !wishes.contains($0) }
    let wanted = wishes.filter { !refused.contains($0) }.map(\.rule)
    let same = zip(kept, wanted).prefix { $0.rule.isSame(as: $1) }.count
    for index in 0..<same where kept[index].rule.settings != wanted[index].settings {
      let id = kept[index].id
      kept[index].rule = wanted[index]
      do throws(PlugInError) {
        try service.setStage(id: id, wanted[index].settings)
        words.append("stage \(id) set")
      } catch { service.remark("stage \(id): \(error)", .warning) }
    }
    let gone = kept[same...].map(\.id)
    for id in gone.reversed() { service.removeStage(id: id) }
    kept.removeLast(gone.count)
    var new: [String] = []
    for rule in wanted[same...] {
      do throws(PlugInError) {
        let stage = try service.addStage(rule.plugin, to: rule.chain, id: rule.id, settings: rule.settings)
        kept.append((rule, stage.id))
        new.append(stage.id)
      } catch {
        if case .stopped = error { break }
        service.remark("stage \(rule.plugin): \(error)", .warning)
        refused.append(Refusal(rule))
      }
    }
    words += gone.filter { !new.contains($0) }.map { "without stage \($0)" }
    return words + new.filter { !gone.contains($0) }.map { "with stage \($0)" }
  }
}

extension StageRule {
  /// Returns whether both are the same stage, perhaps with other settings. A port that is no longer set returns to the plug-in's own value,
  /// which requires a new stage.
  fileprivate func isSame(as other: StageRule) -> Bool {
    chain == other.chain && plugin == other.plugin && id == other.id && Set(settings.keys).isSubset(of: other.settings.keys)
  }
}
