// A softphone in thirty lines: takes the far end on standard input, and writes the microphone without its echo to standard output; 16 kHz
// mono, 16 bits. With a network in between:  socat UDP4:friend:5004,bind=:5004 EXEC:.build/release/Softphone
import Foundation
import Nearend

let (manager, call) = (AudioSessionManager.shared, "call")
let (rate, frameBytes) = (16_000, 640)  // 20 ms

func fail(_ reason: String) -> Never {
  FileHandle.standardError.write(Data("softphone: \(reason)\n".utf8))
  exit(1)
}

do {
  try manager.registerMedia(id: call, isSend: true, isReceive: true)
} catch {
  fail("\(error)")
}
guard manager.registerSpeakerOutput(mediaId: call, sampleRate: rate, channelCount: 1, bufferSize: rate / 5 * 2),
  let microphone = try? manager.microphoneBuffers(mediaId: call, sampleRate: rate, channelCount: 1)
else { fail("the call cannot be joined") }

let sending = Task.detached {
  for await buffer in microphone { FileHandle.standardOutput.write(buffer.samples.withUnsafeBytes { Data($0) }) }
}
while let frame = try FileHandle.standardInput.read(upToCount: frameBytes), !frame.isEmpty {
  // Audio that does not fit is late: a call drops it rather than lag behind.
  _ = frame.withUnsafeBytes { manager.writeSpeakerData(mediaId: call, data: $0) }
}
sending.cancel()
manager.unregisterMedia(id: call)
