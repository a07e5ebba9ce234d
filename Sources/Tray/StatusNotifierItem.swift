import Border
internal import MessageBus
import SessionModel

/// The icon as panels find it on the bus: `org.kde.StatusNotifierItem`. [control]
final class StatusNotifierItem {
  static let path = "/StatusNotifierItem"
  private static let name = "org.kde.StatusNotifierItem"

  /// What a person has done with the icon.
  enum Press {
    /// Clicked.
    case first
    /// Clicked with the middle button.
    case second
  }

  private let icons: InstalledIcons
  private let press: (Press) -> Void
  private var pictures: [TrayItem.State: BusValue] = [:]
  private(set) var item: TrayItem
  private weak var bus: Bus?

  init(_ item: TrayItem, icons: InstalledIcons, on bus: Bus, press: @escaping (Press) -> Void) {
    (self.item, self.icons, self.bus, self.press) = (item, icons, bus, press)
    let interface = BusInterface(Self.name, description: Self.description) { [weak self] in self?.properties ?? [:] }
    bus.serve(Self.path) { [weak self] call in self?.answer(call, interface) ?? false }
  }

  /// Shows another state or other words.
  func show(_ new: TrayItem) {
    let old = item
    item = new
    if new.state != old.state {
      for member in ["NewIcon", "NewAttentionIcon"] { bus?.signal(Self.path, Self.name, member) }
      if status(new) != status(old) { bus?.signal(Self.path, Self.name, "NewStatus") { $0.append(status(new)) } }
    }
    if new.state != old.state || new.title != old.title || new.words != old.words { bus?.signal(Self.path, Self.name, "NewToolTip") }
  }

  // MARK: Calls

  private func answer(_ call: BusMessage, _ interface: BusInterface) -> Bool {
    // Some panels leave the interface out.
    guard call.interface.isEmpty || call.interface == Self.name else { return interface.answer(call) }
    switch call.member {
    case "Activate", "SecondaryActivate", "ContextMenu":
      guard call.has("ii") else { return refuse(call, "\(call.member) takes a place on the screen: ii") }
      call.reply { _ in }
      if call.member != "ContextMenu" { press(call.member == "Activate" ? .first : .second) }
    case "XAyatanaSecondaryActivate":
      guard call.has("u") else { return refuse(call, "XAyatanaSecondaryActivate takes a time: u") }
      call.reply { _ in }
      press(.second)
    case "Scroll":
      // Nothing: a wheel that passes over the panel must not change how loud a call is.
      guard call.has("is") else { return refuse(call, "Scroll takes a distance and a direction: is") }
      call.reply { _ in }
    case "ProvideXdgActivationToken":
      guard call.has("s") else { return refuse(call, "ProvideXdgActivationToken takes a token: s") }
      call.reply { _ in }
    default: return call.interface.isEmpty ? interface.answer(call) : false
    }
    return true
  }

  private func refuse(_ call: BusMessage, _ reason: String) -> Bool {
    call.refuse(BusMessage.invalidArguments, reason)
    return true
  }

  // MARK: Properties

  private func status(_ item: TrayItem) -> String { item.state == .alarm ? "NeedsAttention" : "Active" }

  private var properties: [String: BusValue] {
    let name = icons.folder == nil ? "" : InstalledIcons.name(item.state)
    let noPictures = BusValue.array(of: Self.pictureSignature, [])
    // The text of a tooltip is markup, its title is not.
    let text = item.words.map(\.asMarkup).joined(separator: "\n")
    return [
      "Category": .text("Communications"), "Id": .text("nearend"), "Title": .text("Nearend"), "Status": .text(status(item)),
      "WindowId": .integer(0), "ItemIsMenu": .flag(false), "Menu": .path(MenuServer.path),
      "IconThemePath": .text(icons.folder ?? ""), "IconName": .text(name), "IconPixmap": picture(item.state),
      "IconAccessibleDesc": .text(item.title), "AttentionAccessibleDesc": .text(item.title),
      "AttentionIconName": .text(name), "AttentionIconPixmap": picture(item.state), "AttentionMovieName": .text(""),
      "OverlayIconName": .text(""), "OverlayIconPixmap": noPictures,
      "ToolTip": .structure([.text(""), noPictures, .text(item.title), .text(text)]),
    ]
  }

  private static let pictureSignature = "(iiay)"

  private func picture(_ state: TrayItem.State) -> BusValue {
    if let known = pictures[state] { return known }
    let drawn = TrayPicture.sizes.map { size in
      BusValue.structure([.integer(Int32(size)), .integer(Int32(size)), .bytes(TrayPicture(state, size: size).pixels)])
    }
    let value = BusValue.array(of: Self.pictureSignature, drawn)
    pictures[state] = value
    return value
  }

  private static let description = """
    <property name="Category" type="s" access="read"/><property name="Id" type="s" access="read"/>\
    <property name="Title" type="s" access="read"/><property name="Status" type="s" access="read"/>\
    <property name="WindowId" type="i" access="read"/><property name="ItemIsMenu" type="b" access="read"/>\
    <property name="Menu" type="o" access="read"/><property name="IconThemePath" type="s" access="read"/>\
    <property name="IconName" type="s" access="read"/><property name="IconPixmap" type="a(iiay)" access="read"/>\
    <property name="IconAccessibleDesc" type="s" access="read"/><property name="AttentionAccessibleDesc" type="s" access="read"/>\
    <property name="AttentionIconName" type="s" access="read"/><property name="AttentionIconPixmap" type="a(iiay)" access="read"/>\
    <property name="AttentionMovieName" type="s" access="read"/><property name="OverlayIconName" type="s" access="read"/>\
    <property name="OverlayIconPixmap" type="a(iiay)" access="read"/><property name="ToolTip" type="(sa(iiay)ss)" access="read"/>\
    <method name="Activate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>\
    <method name="SecondaryActivate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>\
    <method name="ContextMenu"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>\
    <method name="Scroll"><arg type="i" direction="in"/><arg type="s" direction="in"/></method>\
    <signal name="NewIcon"/><signal name="NewAttentionIcon"/><signal name="NewToolTip"/>\
    <signal name="NewStatus"><arg type="s"/></signal>
    """
}
