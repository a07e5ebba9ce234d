import Border
internal import CCurl
import Foundation

/// The answer to a request. [any]
package struct HTTPAnswer: Sendable, Equatable {
  /// The HTTP status code.
  package var status: Int
  /// The body, at most 64 MiB; empty for a successful download, whose bytes were passed on.
  package var body: Data

  /// Whether the status is 2xx.
  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why a request got no answer. [any]
package enum TransferError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Nothing listens at the address.
  case unreachable(address: String, reason: String)
  /// The peer or the network closed the connection.
  case failed(address: String, reason: String)
  case timedOut(address: String, seconds: Double)
  /// Nothing was sent: libcurl needs more memory or descriptors than there are.
  case unprepared(address: String)

  package var description: String {
    switch self {
    case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
    case .failed(let address, let reason): "\(address): \(reason)"
    case .unprepared(let address):
      """
      \(address) cannot be asked: libcurl cannot be set up (\(String(cString: curl_easy_strerror(CURLE_FAILED_INIT)))); if it is there, end \
      other programs, or raise the limits of memory and descriptors (ulimit)
      """
    case .timedOut(let address, let seconds):
      "\(address) has not answered within \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s"
    }
  }
}

/// A libcurl handle: sends requests one after another, over the same connection if the server keeps it open, on one thread at a time.
/// [control]
final class Transfer {
  /// nil if libcurl could not be set up.
  private let curl: OpaquePointer?
  /// Callbacks of the running request.
  private var read: ((UnsafeMutableRawBufferPointer) -> Int?)?
  private var received = Data()
  private var write: ((UnsafeRawBufferPointer) -> Bool)?
  private var wasStopped = false

  /// libcurl's global initialization, which must happen once and first.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  private var longestAnswer = 0

  struct Request {
    var method: String
    var url: String
    /// Path of the Unix socket to connect to; nil uses the URL.
    var socket: String?
    var headers: [String] = []
    var body: Data?
    /// Limit in bytes of an answer that is kept in memory; a longer one is an error.
    var longestAnswer = 64 << 20
    /// Timeout in seconds of the whole request; nil waits for ever.
    var timeout: Double?
    /// Provides the body piece by piece: returns the number of bytes written to the buffer, 0 at the end, nil to abort.
    var upload: ((UnsafeMutableRawBufferPointer) -> Int?)?
    /// Takes the body of a successful answer piece by piece; false aborts.
    var download: ((UnsafeRawBufferPointer) -> Bool)?
  }

  init() {
    curl = Self.isReady ? curl_easy_init().map { OpaquePointer($0) } : nil
  }

  deinit { if curl != nil { curl_easy_cleanup(handle) } }

  /// nil if libcurl could not be set up: then `perform` throws.
  private var handle: UnsafeMutableRawPointer? { curl.map { UnsafeMutableRawPointer($0) } }

  /// Sends a request and waits for its end. Returns nil if `upload` or `download` aborted it.
  func perform(_ request: Request) throws(TransferError) -> HTTPAnswer? {
    guard curl != nil else { throw .unprepared(address: request.socket ?? request.url.withoutSecrets) }
    (received, wasStopped, read, write) = (Data(), false, request.upload, request.download)
    longestAnswer = request.longestAnswer
    defer { (read, write) = (nil, nil) }
    curl_easy_reset(handle)
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    for header in request.headers { list = curl_slist_append(list, header) }
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_NOPROXY, request.socket == nil ? nil : "*")
    set(CURLOPT_URL, request.url)
    set(CURLOPT_UNIX_SOCKET_PATH, request.socket)
    set(CURLOPT_CUSTOMREQUEST, request.method)
    set(CURLOPT_TIMEOUT_MS, Int((request.timeout ?? 0) * 1000))
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(request.timeout ?? 10, 10) * 1000))
    let context = Unmanaged.passUnretained(self).toOpaque()
    nearend_curl_set_transfer(handle, CURLOPT_WRITEFUNCTION, receiveAnswer)
    nearend_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    nearend_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
    if request.upload != nil {
      set(CURLOPT_UPLOAD, 1)
      nearend_curl_set_transfer(handle, CURLOPT_READFUNCTION, fillBody)
      nearend_curl_set_pointer(handle, CURLOPT_READDATA, context)
    }
    let code = withExtendedLifetime(self) { perform(body: request.upload == nil ? request.body : nil) }
    if wasStopped { return nil }
    let address = request.socket ?? request.url.withoutSecrets
    let reason = String(cString: curl_easy_strerror(code))
    switch code {
    case CURLE_OK: return HTTPAnswer(status: status, body: received)
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: throw .unreachable(address: address, reason: reason)
    case CURLE_OPERATION_TIMEDOUT: throw .timedOut(address: address, seconds: request.timeout ?? 10)
    case CURLE_WRITE_ERROR: throw .failed(address: address, reason: "its answer is longer than \(longestAnswer) bytes")
    // What libcurl returns for a header without end: before 8.6 the first, and for no other reason on a machine that has any memory.
    case CURLE_OUT_OF_MEMORY, Self.tooLarge: throw .failed(address: address, reason: "the header of its answer is too long")
    // The server has answered and does not want the rest of the body.
    case CURLE_SEND_ERROR where status >= 400 && !received.isEmpty: return HTTPAnswer(status: status, body: received)
    default: throw .failed(address: address, reason: reason)
    }
  }

  /// CURLE_TOO_LARGE, which headers before libcurl 8.6 do not name.
  private static let tooLarge = CURLcode(rawValue: 100)

  /// Sends a request that neither uploads nor downloads a stream, so that nothing aborts it, and waits for the answer.
  func answer(to request: Request) throws(TransferError) -> HTTPAnswer {
    guard let answer = try perform(request) else {
      throw .failed(address: request.socket ?? request.url.withoutSecrets, reason: "broken off")
    }
    return answer
  }

  private func perform(body: Data?) -> CURLcode {
    guard let body else { return curl_easy_perform(handle) }
    return body.withUnsafeBytes { bytes in
      set(CURLOPT_POSTFIELDSIZE, bytes.count)
      // libcurl reads no byte of an empty body, but takes nil for "call the read function".
      return withUnsafePointer(to: UInt8(0)) { none in
        nearend_curl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(none))
        return curl_easy_perform(handle)
      }
    }
  }

  /// The connection's socket while a request runs, otherwise −1.
  var socket: Int32 { nearend_curl_socket(handle) }

  private var status: Int { nearend_curl_status(handle) }

  private func set(_ option: CURLoption, _ value: Int) { nearend_curl_set_long(handle, option, value) }
  private func set(_ option: CURLoption, _ value: String?) {
    // libcurl copies the string.
    if let value { value.withCString { _ = nearend_curl_set_pointer(handle, option, $0) } }
  }

  // MARK: libcurl's callbacks

  fileprivate func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if let count = read?(buffer) { return count }
    wasStopped = true
    return Int(CURL_READFUNC_ABORT)
  }

  fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    if let write, (200..<300).contains(status) {
      if write(bytes) { return bytes.count }
      wasStopped = true
      return 0
    }
    guard received.count + bytes.count <= longestAnswer else { return 0 }
    received.append(contentsOf: bytes)
    return bytes.count
  }
}

private func fillBody(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
  let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
  return transfer.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

private func receiveAnswer(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
  let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
  return transfer.receive(UnsafeRawBufferPointer(start: buffer, count: size * count))
}
