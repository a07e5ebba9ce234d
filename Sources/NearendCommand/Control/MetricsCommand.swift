import ArgumentParser
import ControlClient
import Foundation
import Nearend

struct MetricsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print a running nearend's counters and levels in Prometheus' text format, or serve them.",
    discussion: """
      With --listen, serves them to Prometheus at http://<address>/metrics until interrupted, even while no nearend runs (nearend_up is 0 then). \
      Every user of this machine can read them there.
      """)

  @Option(
    help: ArgumentHelp(
      "Serve them at this address, such as 127.0.0.1:9464, [::1]:9464 or 9464; loopback addresses only, unless --allow-remote is given.",
      valueName: "address:port"))
  var listen: String?
  @Flag(help: "Allow --listen addresses that other machines can reach; any of them can then read the metrics.")
  var allowRemote = false
  @Option(
    help: ArgumentHelp(
      "A host name to accept besides localhost and numeric addresses; may be repeated. Other names are refused, so that no web page can read the metrics by DNS rebinding.",
      valueName: "name"))
  var hostName: [String] = []
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "metrics")
    if allowRemote, listen == nil { throw ValidationError("--allow-remote needs --listen <address:port>.") }
    if !hostName.isEmpty, listen == nil { throw ValidationError("--host-name needs --listen <address:port>.") }
    for name in hostName where !name.utf8.allSatisfy(Self.isOfName) || name.isEmpty {
      throw ValidationError("--host-name '\(name)' is invalid: give a name without a port, such as studio.local.")
    }
    guard let listen else { return socket.nearend.show("/metrics") }
    let address: ListenAddress
    do throws(ListenError) { address = try ListenAddress(listen, allowsRemote: allowRemote) } catch {
      let remedy = if case .notLoopback = error { ", or say --allow-remote" } else { "" }
      throw ValidationError("--listen: \(error)\(remedy).")
    }
    try serve(at: address)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: "-._".utf8.contains(byte)
    }
  }

  private func serve(at address: ListenAddress) throws {
    let path = socket.nearend.client.path
    let stop = StopRequest.onSignals()
    let exporter: MetricsExporter
    do throws(ListenError) {
      exporter = try MetricsExporter(at: address, names: hostName) {
        // A client per scrape, because one thread at a time may use it.
        guard let answer = try? ControlClient(path: path).request("GET", "/metrics"), answer.isSuccess else { return nil }
        return String(decoding: answer.body, as: UTF8.self)
      }
    } catch {
      fail(error, .failure)
    }
    exporter.start()
    standardError.write("nearend: metrics of the nearend at \(path) are at http://\(exporter.address)/metrics")
    stop.wait(seconds: nil)
    exporter.stop()
  }
}
