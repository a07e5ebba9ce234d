import Border
import ControlClient
import Foundation
import Platform
import SessionModel
import Synchronization

/// Reads the metrics at intervals, and sends each reading to an OpenTelemetry collector (O9). [any]
final class OTLPExport: Sendable {
  /// Returns a report of the state. Called on the export's own thread.
  typealias TakeReport = @Sendable () -> ServiceReport?

  let outlet: TelemetryOutlet
  private let interval: Double
  private let reader: Mutex<OTLPReader>
  private let end = DispatchSemaphore(value: 0)

  /// - Parameter interval: seconds; overrides the options' interval.
  init(
    _ options: OTLPOptions, interval: Double? = nil, limits: TelemetryQueue.Limits = .init(),
    complain: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.interval = interval ?? options.interval / .seconds(1)
    reader = Mutex(OTLPReader(resource: Self.resource, version: nearendVersion))
    var limits = limits
    // Each answer is about one reading: a collector may take a part of it.
    limits.batch = 1
    let upload = OTLPUpload(options)
    outlet = TelemetryOutlet(name: "otlp", limits: limits, complain: complain) { readings in try readings.forEach(upload.post) }
  }

  deinit { stop(timeout: 0) }

  /// - Parameter take: returns nil if nothing may be sent now, or there is nothing to send.
  func start(_ take: @escaping TakeReport) {
    startThread(name: "telemetry-read") { [weak self, end, interval] in
      while end.wait(timeout: .now() + interval) == .timedOut {
        guard let report = take() else { continue }
        guard let self else { return }
        add(report)
      }
    }
  }

  /// Stops reading, and tries for at most `timeout` seconds to deliver what waits. Idempotent.
  func stop(timeout: Double) {
    end.signal()
    outlet.stop(timeout: timeout)
  }

  func add(_ report: ServiceReport) {
    let now = Date().timeIntervalSince1970
    let metrics = ServiceMetrics(report)
    let reading = reader.withLock {
      $0.read(metrics, at: Self.nanoseconds(now), begin: Self.nanoseconds(now - max(0, report.snapshot.uptime)))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // As spelled in protobuf's JSON.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    // Every field is a number, a string or a list of them: encoding cannot fail.
    if let line = try? encoder.encode(reading) { outlet.add(line) }
  }

  private static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e6) * 1_000 }

  /// OpenTelemetry's names: https://opentelemetry.io/docs/specs/semconv/resource/
  private static let resource: [OTLPMetrics.Attribute] = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return [
      .init("service.name", "nearend"), .init("service.version", nearendVersion),
      .init("service.instance.id", UUID().uuidString.lowercased()),
      .init("host.name", host), .init("os.type", "linux"), .init("process.pid", Int(getpid())),
    ]
  }()
}

/// Posts readings to a collector (`application/json`).
struct OTLPUpload: Sendable {
  private let post: HTTPPost

  /// - Parameter timeout: seconds for the whole request.
  init(_ options: OTLPOptions, timeout: Double = 10) {
    let own = ["Content-Type: application/json", "User-Agent: nearend/\(nearendVersion)"]
    post = HTTPPost(url: options.url.absoluteString, headers: own + options.headers, timeout: timeout)
  }

  /// - Throws: as `TelemetryUpload.post`; `TelemetryOutlet.Rejected` also if the collector accepted only a part, which must not be sent
  ///   again.
  func post(_ reading: Data) throws {
    let answer: HTTPAnswer
    do throws(TransferError) {
      answer = try post.send(Data(#"{"resourceMetrics":["#.utf8) + reading + Data("]}".utf8))
    } catch {
      throw TelemetryUpload.Unanswered(description: error.description)
    }
    try TelemetryUpload.check(answer.status)
    guard let partial = (try? JSONDecoder().decode(Answer.self, from: answer.body))?.partialSuccess, partial.rejected > 0 else { return }
    let reason = partial.errorMessage?.printable(atMost: String.longestRemark) ?? "it does not say why"
    throw TelemetryOutlet.Rejected(description: "the collector refuses \(partial.rejected) data points: \(reason)")
  }

  private struct Answer: Decodable { var partialSuccess: PartialSuccess? }
  private struct PartialSuccess: Decodable {
    var rejected: Int
    var errorMessage: String?

    private enum Key: String, CodingKey { case rejectedDataPoints, errorMessage }

    init(from decoder: any Decoder) throws {
      let keys = try decoder.container(keyedBy: Key.self)
      // Protobuf's JSON encodes 64-bit integers as strings, and readers accept numbers.
      let text = try? keys.decode(String.self, forKey: .rejectedDataPoints)
      rejected = text.flatMap { Int($0) } ?? (try? keys.decode(Int.self, forKey: .rejectedDataPoints)) ?? 0
      errorMessage = try keys.decodeIfPresent(String.self, forKey: .errorMessage)
    }
  }
}
