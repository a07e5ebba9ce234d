import Foundation
import Testing

@testable import SimulatedHardware

/// `nearend metrics --listen`, as curl and Prometheus see it.
@Suite("Metrics over TCP", .serialized)
struct MetricsListenTests {
  /// The path of Prometheus, where Scripts/install-dependencies unpacks it or where it is installed; nil if there is none.
  private static let prometheus: String? = {
    let unpacked = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../.build/prometheus/usr/bin/prometheus")
    if FileManager.default.isExecutableFile(atPath: unpacked.path) { return unpacked.standardized.path }
    return try? Program.find("prometheus", path: ProcessInfo.processInfo.environment["PATH"] ?? "")
  }()

  private func listen(
    _ place: some Place, at address: String = "127.0.0.1:0", _ options: String...
  ) throws -> (running: RunningProgram, url: String) {
    let running = try place.start(nearendProgram, ["metrics", "--listen", address] + options)
    #expect(running.says("/metrics"), "\(running.errors)")
    let url = try #require(running.errors.firstMatch(of: #/http://\S+:\d+/#), "\(running.errors)")
    return (running, String(url.0))
  }

  /// Starts nearend without a daemon, and waits until it says so; its socket answers then.
  private func startNearend(_ place: EmptyPlace) throws -> RunningProgram {
    let nearend = try place.startNearend("--headless", "--wait")
    #expect(nearend.says("waiting for it"), "\(nearend.errors)")
    return nearend
  }

  @Test("O9 T1: GET /metrics reports that no nearend runs, then a running one's metrics, and again that none runs")
  func comesAndGoes() throws {
    let place = try EmptyPlace()
    let (running, url) = try listen(place)
    let before = try curl(place, ["\(url)/metrics"])
    #expect(before.status == "200" && before.text.hasSuffix("\nnearend_up 0\n"), "\(before)")
    #expect(before.text.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    let nearend = try startNearend(place)
    let during = try curl(place, ["\(url)/metrics"])
    #expect(during.text.contains("\nnearend_up 1\n") && during.text.contains("\nnearend_connected 0\n"), "\(during)")
    #expect(try during.text.hasSuffix(String(place.nearend("metrics").output.suffix(200))))
    nearend.process.signal(SIGTERM)
    #expect(nearend.process.wait() == .status(0))
    #expect(try curl(place, ["\(url)/metrics"]).text.hasSuffix("\nnearend_up 0\n"))
    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
  }

  @Test("O9 X1: any other request gets an answer that says what to ask, and costs no more than a client may")
  func otherRequests() throws {
    let place = try EmptyPlace()
    let (running, url) = try listen(place, at: "[::1]:0")
    #expect(url.hasPrefix("http://[::1]:"))
    for (arguments, status, words) in [
      (["\(url)/"], "404", "there is: /metrics"), (["\(url)/status"], "404", "there is no /status"),
      (["-X", "POST", "-d", "x=y", "\(url)/metrics"], "405", "Allow: GET"), (["-X", "PUT", "\(url)/settings"], "404", "/metrics"),
      (["-H", "X: \(String(repeating: "x", count: 30_000))", "\(url)/metrics"], "431", "longer than 8192 bytes"),
      (["--http0.9", "-X", "GET /metrics", "\(url)/metrics"], "400", "not an HTTP request"),
      (["-H", "Host: evil.example", "\(url)/metrics"], "421", "host name 'evil.example' is not accepted"),
      (["-H", "Host: evil.example:9464", "\(url)/metrics"], "421", "a numeric address of this machine, localhost"),
      (["-H", "Host: 192.0.2.1:9464", "\(url)/metrics"], "421", "host name '192.0.2.1:9464' is not accepted"),
      (["-H", "Host: localhost.evil.example", "\(url)/"], "421", "--host-name"),
      (["-H", "Host: localhost:9464", "\(url)/metrics"], "200", "nearend_up 0"),
      (["-H", "Host: LOCALHOST.", "\(url)/metrics"], "200", "nearend_up 0"),
      (["-H", "Host: 127.0.0.1", "\(url)/metrics"], "200", "nearend_up 0"),
      (["-H", "Host: [::1]", "\(url)/metrics"], "200", "nearend_up 0"),
      (["-H", "Host:", "-0", "\(url)/metrics"], "200", "nearend_up 0"),
    ] {
      let answer = try curl(place, arguments)
      #expect(answer.status == status && answer.text.contains(words), "\(arguments.last ?? ""): \(answer)")
    }
    // Idle connections make room for a client that sends a request.
    let port = try #require(UInt16(url.split(separator: ":").last ?? ""))
    let idle = (0..<40).map { _ in connection(toLoopback6: port) }
    defer { for descriptor in idle { close(descriptor) } }
    #expect(idle.allSatisfy { $0 >= 0 })
    #expect(try curl(place, ["\(url)/metrics"]).status == "200")
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(running.process.pid)/fd").count
    #expect(descriptors < 60, "\(descriptors)")
  }

  @Test("O9 X2: where others reach it, it answers to numeric addresses and to the names of --host-name, not to a page's own name")
  func hostNames() throws {
    let place = try EmptyPlace()
    let (_, url) = try listen(place, at: "0.0.0.0:0", "--allow-remote", "--host-name", "Studio.local", "--host-name", "studio")
    for (host, status) in [
      ("evil.example", "421"), ("studio.evil.example", "421"), ("192.0.2.1:9464", "200"), ("[2001:db8::1]:9464", "200"),
      ("studio.LOCAL:9464", "200"), ("studio", "200"), ("localhost", "200"), ("::1", "421"), ("", "421"), (":9464", "421"),
    ] {
      let answer = try curl(place, [host.isEmpty ? "-HHost;" : "-HHost: \(host)", "\(url)/metrics"])
      #expect(answer.status == status, "\(host): \(answer)")
    }
    let wrong = try place.nearend("metrics", "--listen", "9464", "--host-name", "studio:9464")
    #expect(wrong.exit == .status(64) && wrong.errors.contains("'studio:9464' is invalid"), "\(wrong)")
    #expect(try place.nearend("metrics", "--host-name", "studio").errors.contains("--host-name needs --listen"))
  }

  /// Returns the status, and headers and body as one text.
  private func curl(_ place: some Place, _ arguments: [String]) throws -> (status: String, text: String) {
    let result = try place.start("curl", ["-sS", "-i", "--max-time", "60"] + arguments).result()
    return (result.output.split(separator: " ").dropFirst().first.map(String.init) ?? result.errors, result.output)
  }

  private func connection(toLoopback6 port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    inet_pton(AF_INET6, "::1", &name.sin6_addr)
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
    }
    return result == 0 ? descriptor : -1
  }

  @Test(
    "O9: an address that others reach is refused and named, unless --allow-remote says so; and what is no address",
    arguments: [
      ("0.0.0.0:9464", "0.0.0.0 is not this machine alone"), ("[::]:9464", ":: is not this machine alone"),
      ("192.0.2.1:9464", "or say --allow-remote"), ("example.org:9464", "'example.org:9464' is no address"),
      ("127.0.0.1", "is no address"), ("127.0.0.1:99999", "is no address"), ("::1:9464", "is no address"),
      ("127.0.0.1:+1", "is no address"),
    ])
  func badAddress(address: String, words: String) throws {
    let result = try EmptyPlace().nearend("metrics", "--listen", address)
    #expect(result.exit == .status(64) && result.errors.contains("--listen: ") && result.errors.contains(words), "\(result)")
  }

  @Test("O9: --allow-remote lets it listen everywhere; an address that somebody has ends it with 1, and is named")
  func taken() throws {
    let place = try EmptyPlace()
    let running = try place.startNearend("metrics", "--listen", "0.0.0.0:0", "--allow-remote")
    #expect(running.says("http://0.0.0.0:"), "\(running.errors)")
    let port = try #require(running.errors.firstMatch(of: /0\.0\.0\.0:(\d+)/)?.1)
    let second = try place.nearend("metrics", "--listen", String(port))
    #expect(second.exit == .status(1) && second.errors.contains("cannot listen at 127.0.0.1:\(port): Address already in use"), "\(second)")
  }

  @Test(
    "O9: a Prometheus scrapes it: the target is up, nearend's series are there while one runs, and nearend_up falls when it ends",
    .enabled(if: prometheus != nil, "Prometheus is not there: Scripts/install-dependencies test unpacks Debian's into .build/prometheus"))
  func scrapes() throws {
    let place = try EmptyPlace()
    let (_, url) = try listen(place)
    let own = try #require(freePort())
    try """
    global: {scrape_interval: 200ms}
    scrape_configs:
      - job_name: nearend
        static_configs: [{targets: ["\(url.dropFirst("http://".count))"]}]
    """.write(toFile: "\(place.path)/prometheus.yml", atomically: true, encoding: .utf8)
    let prometheus = try place.start(
      try #require(Self.prometheus),
      [
        "--config.file=\(place.path)/prometheus.yml", "--storage.tsdb.path=\(place.path)/data", "--web.listen-address=127.0.0.1:\(own)",
      ])
    defer { prometheus.process.end(grace: 5) }
    func request(_ path: String) throws -> String {
      try place.start("curl", ["-sS", "--max-time", "60", "http://127.0.0.1:\(own)/api/v1/\(path)"]).result().output
    }
    func wait(_ path: String, for words: String...) throws {
      var last = ""
      let found = try poll {
        last = try request(path)
        return words.allSatisfy(last.contains) ? true : nil
      }
      #expect(found == true, "\(path): \(last) \(prometheus.errors.suffix(2_000))")
    }
    try wait("targets", for: #""health":"up""#)
    try wait("query?query=nearend_up", for: #","0"]"#)
    let nearend = try startNearend(place)
    try wait("query?query=nearend_up", for: #","1"]"#)
    try wait("query?query=nearend_connected", for: #""__name__":"nearend_connected""#)
    // Prometheus has understood the help and the type of every family.
    try wait("metadata?metric=nearend_cycles_total", for: #""type":"counter""#, #""help":"Cycles of the graph that were processed.""#)
    nearend.process.signal(SIGKILL)
    _ = nearend.process.wait()
    try wait("query?query=nearend_up", for: #","0"]"#)
    try wait("query?query=up", for: #","1"]"#)
  }

  /// A TCP port that is free at the moment.
  private func freePort() -> UInt16? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    return result ? UInt16(bigEndian: name.sin_port) : nil
  }
}
