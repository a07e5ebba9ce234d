import Border
internal import MessageBus
import SessionModel

/// The menu as panels find it on the bus: `com.canonical.dbusmenu`. [control]
final class MenuServer {
  static let path = "/MenuBar"
  private static let name = "com.canonical.dbusmenu"

  private var menu = TrayNumbers()
  private weak var bus: Bus?
  /// Brings the menu up to date before a person sees it.
  private let refresh: () -> Void
  private let choose: (TrayAction) -> Void

  init(_ entries: [TrayEntry], on bus: Bus, refresh: @escaping () -> Void, choose: @escaping (TrayAction) -> Void) {
    (self.bus, self.refresh, self.choose) = (bus, refresh, choose)
    _ = menu.update(entries)
    let interface = BusInterface(Self.name, description: Self.description) {
      ["Version": .count(3), "TextDirection": .text("ltr"), "Status": .text("normal"), "IconThemePath": .array(of: "s", [])]
    }
    bus.serve(Self.path) { [weak self] call in self?.answer(call, interface) ?? false }
  }

  func show(_ entries: [TrayEntry]) {
    switch menu.update(entries) {
    case .none: break
    case .layout:
      bus?.signal(Self.path, Self.name, "LayoutUpdated") {
        $0.append(menu.revision)
        $0.append(TrayNumbers.root)
      }
    case .words(let numbers):
      let changed = numbers.compactMap { number in
        menu.entry(number).map { BusValue.structure([.integer(number), .dictionary(Self.properties($0, isWhole: true))]) }
      }
      bus?.signal(Self.path, Self.name, "ItemsPropertiesUpdated") {
        $0.append(bare: .array(of: "(ia{sv})", changed))
        $0.append(bare: .array(of: "(ias)", []))
      }
    }
  }

  // MARK: Calls

  private func answer(_ call: BusMessage, _ interface: BusInterface) -> Bool {
    guard call.interface.isEmpty || call.interface == Self.name else { return interface.answer(call) }
    switch call.member {
    case "GetLayout": layout(call)
    case "GetGroupProperties": groupProperties(call)
    case "GetProperty": property(call)
    case "Event": event(call)
    case "EventGroup": eventGroup(call)
    case "AboutToShow": aboutToShow(call)
    case "AboutToShowGroup": aboutToShowGroup(call)
    default: return call.interface.isEmpty ? interface.answer(call) : false
    }
    return true
  }

  private func layout(_ call: BusMessage) {
    guard call.has("iias"), let parent = call.readInteger(), let depth = call.readInteger(), let names = call.readStrings() else {
      return call.refuse(BusMessage.invalidArguments, "GetLayout takes an entry, a depth and names of properties: iias")
    }
    guard let children = menu.children(of: parent) else { return refuseUnknown(call, parent) }
    let selected = Self.selected(properties(parent) ?? [:], names)
    call.reply {
      $0.append(menu.revision)
      $0.append(bare: node(parent, selected, children, depth: depth, names))
    }
  }

  /// - Parameter depth: levels of entries below; less than 0 for all.
  private func node(
    _ number: Int32, _ properties: [String: BusValue], _ children: [TrayEntry], depth: Int32, _ names: [String]
  ) -> BusValue {
    let shown = depth == 0 ? [] : children
    let nodes: [BusValue] = shown.map { child in
      let properties = Self.selected(Self.properties(child), names)
      return BusValue.variant(node(menu.number(of: child), properties, child.children, depth: max(depth, 0) - 1, names))
    }
    return .structure([.integer(number), .dictionary(properties), .array(of: "v", nodes)])
  }

  private func groupProperties(_ call: BusMessage) {
    guard call.has("aias"), let numbers = call.readArray(of: "i", { call.readInteger() }), let names = call.readStrings() else {
      return call.refuse(BusMessage.invalidArguments, "GetGroupProperties takes entries and names of properties: aias")
    }
    // None means all.
    let wanted = numbers.isEmpty ? menu.entries.flatMap(\.all).map { menu.number(of: $0) } : numbers
    let found = wanted.compactMap { number in
      properties(number).map { BusValue.structure([.integer(number), .dictionary(Self.selected($0, names))]) }
    }
    call.reply { $0.append(bare: .array(of: "(ia{sv})", found)) }
  }

  private func property(_ call: BusMessage) {
    guard call.has("is"), let number = call.readInteger(), let name = call.readText() else {
      return call.refuse(BusMessage.invalidArguments, "GetProperty takes an entry and the name of a property: is")
    }
    guard let properties = properties(number, isWhole: true) else { return refuseUnknown(call, number) }
    guard let value = properties[name] else {
      return call.refuse(BusMessage.invalidArguments, "entries have no such property")
    }
    call.reply { $0.append(value) }
  }

  private func event(_ call: BusMessage) {
    guard call.has("isvu"), let number = call.readInteger(), let kind = call.readText() else {
      return call.refuse(BusMessage.invalidArguments, "Event takes an entry, its kind, its data and a time: isvu")
    }
    guard isThere(number) else { return refuseUnknown(call, number) }
    call.reply { _ in }
    happened(kind, to: number)
  }

  private func eventGroup(_ call: BusMessage) {
    guard call.has("a(isvu)"), let events = call.readArray(of: "(isvu)", { readEvent(call) }) else {
      return call.refuse(BusMessage.invalidArguments, "EventGroup takes events, each as Event does: a(isvu)")
    }
    let unknown = events.map(\.number).filter { !isThere($0) }
    if !events.isEmpty, unknown.count == events.count { return refuseUnknown(call, unknown[0]) }
    call.reply { $0.append(bare: .array(of: "i", unknown.map { .integer($0) })) }
    for event in events { happened(event.kind, to: event.number) }
  }

  private func readEvent(_ call: BusMessage) -> (number: Int32, kind: String)? {
    call.readStructure(of: "isvu") { () -> (number: Int32, kind: String)? in
      guard let number = call.readInteger(), let kind = call.readText() else { return nil }
      call.skip("vu")
      return (number, kind)
    }
  }

  private func aboutToShow(_ call: BusMessage) {
    guard call.has("i"), let number = call.readInteger() else {
      return call.refuse(BusMessage.invalidArguments, "AboutToShow takes an entry: i")
    }
    guard isThere(number) else { return refuseUnknown(call, number) }
    let former = menu.revision
    refresh()
    call.reply { $0.append(menu.revision != former) }
  }

  private func aboutToShowGroup(_ call: BusMessage) {
    guard call.has("ai"), let numbers = call.readArray(of: "i", { call.readInteger() }) else {
      return call.refuse(BusMessage.invalidArguments, "AboutToShowGroup takes entries: ai")
    }
    let former = menu.revision
    refresh()
    let (known, unknown) = (numbers.filter(isThere), numbers.filter { !isThere($0) })
    call.reply {
      $0.append(bare: .array(of: "i", menu.revision == former ? [] : known.map { .integer($0) }))
      $0.append(bare: .array(of: "i", unknown.map { .integer($0) }))
    }
  }

  private func isThere(_ number: Int32) -> Bool { number == TrayNumbers.root || menu.entry(number) != nil }

  private func refuseUnknown(_ call: BusMessage, _ number: Int32) {
    call.refuse(BusMessage.invalidArguments, "there is no entry \(number)")
  }

  private func happened(_ kind: String, to number: Int32) {
    if kind == "clicked", let action = menu.entry(number)?.action { choose(action) }
  }

  // MARK: Properties

  /// The properties of the root or of an entry; nil for a number that nothing has.
  private func properties(_ number: Int32, isWhole: Bool = false) -> [String: BusValue]? {
    if number == TrayNumbers.root { return ["children-display": .text("submenu")] }
    return menu.entry(number).map { Self.properties($0, isWhole: isWhole) }
  }

  /// The properties of an entry; those that have their default are left out, unless it is the whole that is wanted.
  private static func properties(_ entry: TrayEntry, isWhole: Bool = false) -> [String: BusValue] {
    // An underline would mark a key.
    var properties: [String: BusValue] = ["label": .text(entry.label.replacing("_", with: "__"))]
    switch entry.kind {
    case .plain: break
    case .check(let isOn):
      properties["toggle-type"] = .text("checkmark")
      properties["toggle-state"] = .integer(isOn ? 1 : 0)
    case .choice(let isChosen):
      properties["toggle-type"] = .text("radio")
      properties["toggle-state"] = .integer(isChosen ? 1 : 0)
    case .submenu: properties["children-display"] = .text("submenu")
    case .separator: properties = ["type": .text("separator")]
    }
    if isWhole || !entry.isEnabled { properties["enabled"] = .flag(entry.isEnabled || entry.kind == .separator) }
    if isWhole { properties["visible"] = .flag(true) }
    return properties
  }

  /// Those with one of these names; all where there are no names.
  private static func selected(_ properties: [String: BusValue], _ names: [String]) -> [String: BusValue] {
    names.isEmpty ? properties : properties.filter { names.contains($0.key) }
  }

  private static let description = """
    <property name="Version" type="u" access="read"/><property name="TextDirection" type="s" access="read"/>\
    <property name="Status" type="s" access="read"/><property name="IconThemePath" type="as" access="read"/>\
    <method name="GetLayout"><arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="as" direction="in"/>\
    <arg type="u" direction="out"/><arg type="(ia{sv}av)" direction="out"/></method>\
    <method name="GetGroupProperties"><arg type="ai" direction="in"/><arg type="as" direction="in"/>\
    <arg type="a(ia{sv})" direction="out"/></method>\
    <method name="GetProperty"><arg type="i" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>\
    <method name="Event"><arg type="i" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/>\
    <arg type="u" direction="in"/></method>\
    <method name="EventGroup"><arg type="a(isvu)" direction="in"/><arg type="ai" direction="out"/></method>\
    <method name="AboutToShow"><arg type="i" direction="in"/><arg type="b" direction="out"/></method>\
    <method name="AboutToShowGroup"><arg type="ai" direction="in"/><arg type="ai" direction="out"/>\
    <arg type="ai" direction="out"/></method>\
    <signal name="ItemsPropertiesUpdated"><arg type="a(ia{sv})"/><arg type="a(ias)"/></signal>\
    <signal name="LayoutUpdated"><arg type="u"/><arg type="i"/></signal>\
    <signal name="ItemActivationRequested"><arg type="i"/><arg type="u"/></signal>
    """
}
