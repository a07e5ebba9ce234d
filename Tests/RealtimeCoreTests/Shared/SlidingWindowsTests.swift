import Testing

@testable import RealtimeCore

@Suite("Sliding windows")
struct SlidingWindowsTests {
  @Test("V10: each window of samples is the newest samples of its signal in order, however many blocks have come, and zeros before them")
  func newest() {
    let windows = SlidingWindows(count: 2, length: 12, block: 4)
    var all = [[Float]](repeating: [Float](repeating: 0, count: 12), count: 2)
    for block in 0..<20 {
      // The second gets a block only every third time.
      for signal in 0..<2 where signal == 0 || block % 3 == 0 {
        let samples = (0..<4).map { Float(100 * signal + 4 * block + $0 + 1) }
        windows.push(samples, onto: signal)
        all[signal] += samples
      }
      for signal in 0..<2 { #expect(Array(UnsafeBufferPointer(start: windows[signal], count: 12)) == all[signal].suffix(12)) }
    }
    windows.duplicate(0, as: 1)
    for _ in 0..<2 {
      for signal in 0..<2 { windows.push([1, 2, 3, 4], onto: signal) }
      #expect(UnsafeBufferPointer(start: windows[1], count: 12).elementsEqual(UnsafeBufferPointer(start: windows[0], count: 12)))
    }
    windows.silence()
    for signal in 0..<2 { #expect(UnsafeBufferPointer(start: windows[signal], count: 12).allSatisfy { $0 == 0 }) }
  }
}
