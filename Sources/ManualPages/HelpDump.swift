/// The output of `nearend --experimental-dump-help`, as far as a manual page needs it: the same source as that of `--help`.
struct HelpDump: Decodable {
  var command: CommandHelp
}

struct CommandHelp: Decodable {
  var commandName: String
  var superCommands: [String]?
  var shouldDisplay: Bool?
  var abstract: String?
  var discussion: String?
  var subcommands: [CommandHelp]?
  var arguments: [ArgumentHelp]?

  /// The subcommands that `--help` lists, without the parser's own `help`.
  var shown: [CommandHelp] { (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" } }
  /// "nearend", "sink", "add".
  var path: [String] { (superCommands ?? []) + [commandName] }
  /// The page's name.
  var pageName: String { path.joined(separator: "-") }
}

struct ArgumentHelp: Decodable {
  enum Kind: String, Decodable { case positional, option, flag }
  struct Name: Decodable {
    enum Kind: String, Decodable { case long, short, longWithSingleDash }
    var kind: Kind
    var name: String

    /// The name as typed.
    var typed: String { kind == .long ? "--\(name)" : "-\(name)" }
  }
  var kind: Kind
  var names: [Name]?
  var valueName: String?
  var defaultValue: String?
  var allValues: [String]?
  var abstract: String?
  var shouldDisplay: Bool?
  var isOptional: Bool
  var isRepeating: Bool
}
