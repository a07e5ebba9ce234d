import ArgumentParser
import Platform

/// A word in a command's place that is none.
struct UnknownCommand {
  let word: String
  let parents: [any ParsableCommand.Type]

  /// Finds it in the words behind the program's name; nil if there is none.
  init?(in arguments: [String], of root: any ParsableCommand.Type) {
    var parents: [any ParsableCommand.Type] = [root]
    for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
      let subcommands = parents[parents.count - 1].configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = subcommands.first(where: { $0.name == word }) else {
        guard word != "help" else { return nil }
        (self.word, self.parents) = (word, parents)
        return
      }
      parents.append(next)
    }
    return nil
  }

  var message: String {
    let path = parents.map { $0.name }.joined(separator: " ")
    let last = parents[parents.count - 1]
    let known =
      last.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0.name } + (parents.count == 1 ? ["help"] : [])
    let question = Suggestions.question(word, among: known, prefix: "\(path) ")
    return "There is no command '\(path) \(word)'." + (question.isEmpty ? " There are: \(known.joined(separator: ", "))." : question)
  }
}

extension ParsableCommand {
  static var name: String { configuration.commandName ?? _commandName }
}
