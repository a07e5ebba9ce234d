/// Lists exactly the keys that work.
enum HelpPage {
  /// `extra` is shown if there is room.
  static func draw(_ extra: ExtraHelp?, _ body: Range<Int>, on canvas: inout Canvas) {
    var y = body.lowerBound
    let spare = body.count - KeyGroup.all.count - (extra == nil ? 0 : 1)
    if spare > 1 {
      canvas.rule(y, "Keys")
      y += 1
    }
    for group in KeyGroup.all where y < body.upperBound {
      canvas.put(group.label, 2, y, .footerKey, width: 18)
      canvas.put(group.meaning, 21, y, width: canvas.width - 22)
      y += 1
    }
    guard let extra, y < body.upperBound else { return }
    canvas.put(extra.label, 2, y, .footerKey, width: 18)
    canvas.put(extra.meaning, 21, y, width: canvas.width - 22)
  }
}
