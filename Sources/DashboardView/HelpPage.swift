/// Every key that works, and no other.
enum HelpPage {
  static func draw(_ body: Range<Int>, on canvas: inout Canvas) {
    var y = body.lowerBound
    let spare = body.count - KeyGroup.all.count
    if spare > 1 {
      canvas.rule(y, "Keys")
      y += 1
    }
    for group in KeyGroup.all {
      canvas.put(group.label, 2, y, .footerKey, width: 18)
      canvas.put(group.meaning, 21, y, width: canvas.width - 22)
      y += 1
    }
  }
}
