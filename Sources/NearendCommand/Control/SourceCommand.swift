import ArgumentParser
import Foundation

struct SourceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source",
    abstract: "Write a running nearend's processed microphone to standard output, as PCM, until nearend or the reader ends.",
    discussion: """
      Samples are interleaved native-endian signed 16 bit. There is one source at a time.

        nearend source --rate 16000 | ffmpeg -f s16le -ar 16000 -i - talk.flac
      """)

  @Option(help: ArgumentHelp("The source's name: 1 to 64 letters, digits, '-', '_' or '.'.", valueName: "name"))
  var id = "source"
  @Option(parsing: .unconditional, help: ArgumentHelp("Frames per second, 8000 to 192000.", valueName: "hz"))
  var rate = 48_000
  @Option(parsing: .unconditional, help: ArgumentHelp("Channels, 1 or 2.", valueName: "n"))
  var channels = 1
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func validate() throws { try PCMFormat.check(id: id, rate: rate, channels: channels) }

  func run() throws {
    try parent.refuseOwnOptions(of: "source")
    guard isatty(STDOUT_FILENO) == 0 else {
      throw ValidationError("Standard output is a terminal, which cannot show PCM: give a file with > near.raw, or a pipe to a program.")
    }
    socket.nearend.stream("/source?id=\(id)&rate=\(rate)&channels=\(channels)")
  }
}
