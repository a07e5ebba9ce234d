import ArgumentParser
import Platform

/// What is wrong with a command line, and how the command that was meant is used.
struct Refusal {
  let text: String

  /// Of what a command refuses while it runs the parser shows the usage of `nearend`.
  init(_ error: ValidationError, of command: any ParsableCommand.Type) { text = "Error: \(error.message)\n\(Self.usage(of: command))" }

  /// What the parser refuses. It parses the options of `nearend` first, wherever they stand, and shows that one's usage for them.
  init(parsing words: [String], _ error: any Error) {
    let message = NearendCommand.message(for: error)
    let listed = message.firstMatch(of: Self.listing)
    var lines = NearendCommand.fullMessage(for: error).dropFirst("Error: \(message)".count).split(separator: "\n").map(String.init)
    if listed != nil { lines.removeAll { $0.hasPrefix("Help:") } }
    let command = Self.command(in: words)
    if command != NearendCommand.self, lines.contains("Usage: \(NearendCommand.usageString())") {
      // So is the help of nearend's option, which need not be that of the subcommand's of the same name.
      lines = [Self.usage(of: command)]
    }
    var advice = listed.map { Suggestions.question(String($0.1), among: $0.2.matches(of: /'([^']*)'/).map { String($0.1) }) } ?? ""
    if let option = message.firstMatch(of: Self.missing)?.1, let value = Self.word(behind: option, in: words), value.hasPrefix("-") {
      advice = "; to give '\(value)' as the value, write \(option)=\(value)"
    }
    text = (["Error: \(message)\(advice)"] + lines).joined(separator: "\n")
  }

  /// Ends the process with 64.
  func end() -> Never {
    standardError.write(text)
    NearendCommand.exit(withError: ExitCode.validationFailure)
  }

  private static var listing: Regex<(Substring, Substring, Substring)> { /The value '(.*)' is invalid for .* Please provide one of (.*)/ }
  private static var missing: Regex<(Substring, Substring)> { /Missing value for '([^ ']+)/ }

  private static func usage(of command: any ParsableCommand.Type) -> String {
    let usage = NearendCommand.usageString(for: command)
    let name = usage.split(separator: " ").prefix { $0.first?.isLetter == true }.joined(separator: " ")
    return "Usage: \(usage)\n  See '\(name) --help' for more information."
  }

  /// The command that the words begin with.
  private static func command(in words: [String]) -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = NearendCommand.self
    for word in words {
      guard let next = command.configuration.subcommands.first(where: { $0.name == word }) else { break }
      command = next
    }
    return command
  }

  private static func word(behind option: Substring, in words: [String]) -> String? {
    guard let place = words.firstIndex(of: String(option)), place + 1 < words.count else { return nil }
    return words[place + 1]
  }
}
