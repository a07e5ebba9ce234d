import RealtimeCore

/// Checks of everything that is passed between the audio thread and others.
let sharedChecks: [Check] = [
  Check("FIFO: full, wrapping, empty, from both sides") {
    let ring = FrameRing(capacity: 100, bytesPerFrame: 4), fifo = ring.fifo
    let frames = Samples(repeating: 1, count: 100)
    var moved = 0
    var refused = 0
    onTheAudioThread {
      for _ in 0..<50 {
        if !fifo.write(frames.start, frames: 60) { refused += 1 }
        if !fifo.write(frames.start, frames: 60) { refused += 1 }
        moved += fifo.read(into: frames.start, frames: 90)
      }
    }
    withExtendedLifetime(ring) {}
    return require(moved == 50 * 60 && refused == 50, "moved \(moved) frames, refused \(refused) writes")
  },
  Check("mailbox: empty, taken, replaced, tray full") {
    var memory = CellBlock()
    let mailbox = Mailbox(&memory)
    let objects = (0..<3).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8) }
    defer { for object in objects { object.deallocate() } }
    var current: UnsafeMutableRawPointer?
    func cycle() { onTheAudioThread { if let new = mailbox.take(returning: current) { current = new } } }
    cycle()
    for object in objects {
      mailbox.post(object)
      cycle()
    }
    let heldBack = current == objects[1]
    let old = mailbox.collect()
    cycle()
    withExtendedLifetime(memory) {}
    return require(heldBack && old == objects[0] && current == objects[2], "an object went astray")
  },
]
