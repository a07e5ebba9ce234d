import ArgumentParser
import ControlClient
import Foundation
import OfflineProcessing
import Platform

struct PlayIntoMicCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play-into-mic",
    abstract: "Play a sound file, or PCM from standard input, into the outgoing microphone of a running nearend.",
    discussion: """
      It is mixed with the processed voice: never cancelled as echo, and heard though the microphone is muted. It waits until somebody records from \
      Nearend Microphone. Standard input is interleaved native-endian signed 16 bit.

        nearend play-into-mic jingle.flac
        ffmpeg -i talk.opus -f s16le -ac 2 -ar 48000 - | nearend play-into-mic - --rate 48000 --channels 2
      """)

  @Argument(help: "A sound file, or - for PCM from standard input.")
  var file: String
  @Option(help: ArgumentHelp("What it is called in the status: 1 to 64 letters, digits, '-', '_' or '.'.", valueName: "name"))
  var id: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Of standard input: frames per second, 8000 to 192000; 48000 by default.", valueName: "hz"))
  var rate: Int?
  @Option(parsing: .unconditional, help: ArgumentHelp("Of standard input: channels, 1 or 2; 1 by default.", valueName: "n"))
  var channels: Int?
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  /// The default format of PCM.
  private static let standard = (rate: 48_000, channels: 1)

  func validate() throws {
    if let id { try PCMFormat.check(id: id) }
    guard file == "-" || (rate == nil && channels == nil) else {
      throw ValidationError("--rate and --channels apply only to standard input (-).")
    }
    try PCMFormat.check(rate: rate ?? Self.standard.rate, channels: channels ?? Self.standard.channels)
  }

  func run() throws {
    try parent.refuseOwnOptions(of: "play-into-mic")
    let name = id ?? "player-\(ProcessInfo.processInfo.processIdentifier)"
    guard file == "-" else {
      let reader: SoundReader
      do throws(OfflineError) { reader = try SoundReader(path: file) } catch { fail(error, ExitStatus(error)) }
      guard PCMFormat.rates.contains(reader.rate) else {
        fail("\(file): its rate is \(reader.rate) Hz; 8000 to 192000 Hz can be played into the microphone", .noInput)
      }
      return play(name, rate: reader.rate, channels: reader.channelCount, type: "f32", from: Self.pipe(reader))
    }
    let (rate, channels) = (rate ?? Self.standard.rate, channels ?? Self.standard.channels)
    if self.rate == nil {
      // At another rate it would sound too high or too low without explanation.
      let words = "\(rate) Hz and \(channels) channel\(channels == 1 ? "" : "s")"
      standardError.write("nearend: assuming \(words) for standard input; change that with --rate and --channels")
    }
    play(name, rate: rate, channels: channels, type: "s16", from: STDIN_FILENO)
  }

  private func play(_ name: String, rate: Int, channels: Int, type: String, from input: Int32) {
    let nearend = socket.nearend
    do {
      let target = "/appaudio/\(name)?rate=\(rate)&channels=\(channels)&type=\(type)"
      guard let answer = try nearend.client.upload("PUT", target, from: input) else {
        fail("nearend has ended, or somebody has removed '\(name)', before all of it was played", .failure)
      }
      if answer.isTaken { fail("--id \(name): application audio of that name exists; choose another name, or stop it first", .failure) }
      _ = nearend.requireSuccess(answer)
    } catch {
      nearend.end(error)
    }
  }

  /// Pipes the file's samples as fast as they are read. A bad file ends the process.
  private static func pipe(_ reader: SoundReader) -> Int32 {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { fail("no pipe could be made: \(String(cString: strerror(errno)))", .failure) }
    let output = ends[1]
    // Safe: the reader is not used anywhere else from here on.
    nonisolated(unsafe) let reader = reader
    startThread(name: "sound-file") {
      do throws(OfflineError) {
        while let samples = try reader.read() {
          guard samples.withUnsafeBytes({ writeWhole($0, to: output) }) else { break }
        }
        for note in reader.notes { remark(note) }
      } catch {
        fail(error, ExitStatus(error))
      }
      close(output)
    }
    return ends[0]
  }
}
