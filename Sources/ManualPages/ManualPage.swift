/// The manual page of one command. [any]
struct ManualPage {
  let name: String
  let text: String

  /// - Parameters:
  ///   - version: the program's version.
  ///   - additions: sections in man(7)'s language that `--help` lacks.
  init(_ command: CommandHelp, version: String, additions: String) {
    name = command.pageName
    var lines = [
      "." + #"\""# + " Made from nearend --help.",
      ".TH \(name.uppercased()) 1 \"\" \"nearend \(version)\" \"User Commands\"",
      // No hyphenation: options are to be found and copied.
      ".nh", ".ad l",
      Roff.section("Name"), "\(Roff.text(name)) \\- \(Roff.text(Self.withoutStop(command.abstract ?? "")))",
      Roff.section("Synopsis"),
    ]
    lines += Self.synopsis(command)
    lines.append(Roff.section("Description"))
    lines.append(Roff.text(command.abstract ?? ""))
    // Headings in the discussion come after the options.
    let discussion = Roff.paragraphs(command.discussion ?? "")
    let heading = discussion.firstIndex { $0.hasPrefix(".SH") } ?? discussion.endIndex
    if heading > 0 { lines += [".PP"] + discussion[..<heading] }
    lines += Self.options(command)
    if !command.shown.isEmpty {
      lines.append(Roff.section("Commands"))
      for subcommand in command.shown {
        lines += [".TP", "\(Roff.bold(subcommand.pageName))(1)", Roff.text(subcommand.abstract ?? "")]
      }
    }
    lines += discussion[heading...]
    lines += additions.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    lines += Self.related(command)
    text = lines.joined(separator: "\n") + "\n"
  }

  /// Returns every page, the program's first.
  static func all(_ command: CommandHelp, version: String, additions: (String) -> String) -> [ManualPage] {
    [ManualPage(command, version: version, additions: additions(command.pageName))]
      + command.shown.flatMap { all($0, version: version, additions: additions) }
  }

  private static func withoutStop(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

  private static func synopsis(_ command: CommandHelp) -> [String] {
    let program = Roff.bold(command.path.joined(separator: " "))
    let values = (command.arguments ?? []).filter { $0.kind == .positional && $0.shouldDisplay != false }.map { argument in
      let value = Roff.italic(argument.valueName ?? "value") + (argument.isRepeating ? " ..." : "")
      return argument.isOptional ? "[\(value)]" : value
    }
    let line = ([program, "[\(Roff.italic("options"))]"] + values).joined(separator: " ")
    return command.shown.isEmpty ? [line] : [line, ".br", "\(program) \(Roff.italic("command")) ..."]
  }

  private static func options(_ command: CommandHelp) -> [String] {
    let arguments = (command.arguments ?? []).filter { $0.shouldDisplay != false }
    let positional = arguments.filter { $0.kind == .positional }
    var lines = positional.isEmpty ? [] : [Roff.section("Arguments")]
    for argument in positional { lines += [".TP", Roff.italic(argument.valueName ?? "value"), description(argument)] }
    lines.append(Roff.section("Options"))
    for (index, argument) in arguments.enumerated() where argument.kind != .positional {
      let names = typed(argument)
      // `--no-x` follows its `--x`, and is described with it.
      if index > 0, names == inverted(arguments[index - 1]) { continue }
      let next = index + 1 < arguments.count ? typed(arguments[index + 1]) : []
      let both = names + (!next.isEmpty && next == inverted(argument) ? next : [])
      let value = argument.kind == .option ? " \(Roff.italic(argument.valueName ?? "value"))" : ""
      lines += [".TP", both.map(Roff.bold).joined(separator: ", ") + value, description(argument)]
    }
    return lines
  }

  private static func typed(_ argument: ArgumentHelp) -> [String] { (argument.names ?? []).map(\.typed) }

  private static func inverted(_ argument: ArgumentHelp) -> [String]? {
    guard argument.kind == .flag, let names = argument.names, names.allSatisfy({ $0.kind == .long }) else { return nil }
    return names.map { "--no-\($0.name)" }
  }

  private static func description(_ argument: ArgumentHelp) -> String {
    var remarks: [String] = []
    if let values = argument.allValues { remarks.append("values: \(values.joined(separator: ", "))") }
    if let value = argument.defaultValue { remarks.append("default: \(value)") }
    let text = [argument.abstract, remarks.isEmpty ? nil : "(\(remarks.joined(separator: "; ")))"].compactMap { $0 }.joined(separator: " ")
    return text.isEmpty ? "\\&" : Roff.text(text)
  }

  private static func related(_ command: CommandHelp) -> [String] {
    let parents = command.path.indices.dropLast().map { command.path[...$0].joined(separator: "-") }
    var pages = (parents + command.shown.map(\.pageName)).map { "\(Roff.bold($0))(1)" }
    if ["nearend", "nearend-config"].contains(command.pageName) { pages.append("\(Roff.bold("nearend.toml"))(5)") }
    return pages.isEmpty ? [] : [Roff.section("See also"), pages.joined(separator: ",\n")]
  }
}
