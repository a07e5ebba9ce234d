// A softphone in thirty lines: takes the far end on standard input, and writes the microphone without its echo to standard output; 16 kHz
// mono, 16 bits. With a network in between:  socat UDP4:friend:5004,bind=:5004 EXEC:.build/release/Softphone
import Foundation
import Nearend

let (rate, frameBytes) = (16_000, 640)  // 20 ms

func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("softphone: \(reason)\n".utf8))
  exit(1)
}

do {
  let call = try AudioSession.shared.join("call")
  let output = try call.makeOutput(sampleRate: rate, bufferDuration: .milliseconds(200))
  let microphone = try call.microphone(sampleRate: rate, channels: 1)

  let sending = Task.detached {
    for await buffer in microphone { FileHandle.standardOutput.write(buffer.samples.withUnsafeBytes { Data($0) }) }
  }
  while let frame = try FileHandle.standardInput.read(upToCount: frameBytes), !frame.isEmpty {
    do throws(WriteError) {
      try output.write(frame)
    } catch {
      // Audio that does not fit is late: a call drops it rather than fall behind.
      guard case .full = error else { throw error }
    }
  }
  sending.cancel()
  call.end()
} catch {
  fail("\(error)")
}
