import SessionModel

extension Frame {
  /// Draws the dashboard: a pure function of its arguments (U1, U3). [any]
  ///
  /// Below `Size.minimum` there are no pages, but what a call needs; below `Size.smallest` state, mute, and both sizes. `history` is
  /// what the Graphs page draws, or while `state.showsAudition` the picture of the recording.
  package init(drawing snapshot: Snapshot, history: CallHistory = CallHistory(), size: Size, state: ViewState) {
    var canvas = Canvas(size: Size(width: max(size.width, 0), height: max(size.height, 0)), set: state.glyphs)
    guard size.isLargeEnough else {
      if size.holds(.smallest) { CompactView.draw(snapshot, state, on: &canvas) } else { Self.drawTooSmall(snapshot, on: &canvas) }
      self = canvas.frame
      return
    }
    Chrome.draw(snapshot, state, on: &canvas)
    let body = Chrome.body(snapshot, size)
    if state.isHelpShown {
      HelpPage.draw(state.extraHelp, body, on: &canvas)
    } else if let before = state.auditionBefore {
      AuditionPage.draw(snapshot.audition.flatMap { $0.number > before ? $0 : nil }, history, body, on: &canvas)
    } else {
      switch state.page {
      case .call: CallPage.draw(snapshot, state, body, on: &canvas)
      case .participants: ParticipantsPage.draw(snapshot, state, body, on: &canvas)
      case .routes: RoutesPage.draw(snapshot, state, body, on: &canvas)
      case .diagnostics: DiagnosticsPage.draw(snapshot, state, body, on: &canvas)
      case .log: LogPage.draw(snapshot.log, state, body, on: &canvas)
      case .graphs: GraphsPage.draw(snapshot, history, state, body, on: &canvas)
      }
    }
    self = canvas.frame
  }

  private static func drawTooSmall(_ snapshot: Snapshot, on canvas: inout Canvas) {
    let smallest = Size.smallest
    var lines = [
      "nearend \(snapshot.session.state.word)",
      "terminal \(canvas.width)x\(canvas.height)",
      "needs \(smallest.width)x\(smallest.height)",
    ]
    if let mute = MuteBanner(snapshot) { lines.insert(mute.fact, at: 1) }
    let top = max(0, (canvas.height - lines.count) / 2)
    for (index, line) in lines.enumerated() {
      canvas.put(line, 0, top + index, index == 0 ? .heading : .plain, width: canvas.width, align: .center)
    }
  }
}
