/// Reads a request's body and removes its framing (RFC 9112, sections 6 and 7).
struct RequestBody {
  private enum State {
    case data(left: Int, isChunk: Bool)
    case chunkEnd, chunkSize, trailer, done
  }
  private var state: State
  private var trailerBytes = 0

  /// Limit in bytes of a line between chunks, and of all trailers together.
  private static let longestLine = 4_096
  private static let cutOff = RequestFailure(400, "the body is truncated; send it whole")

  init(_ framing: RequestHead.Body) {
    switch framing {
    case .none: state = .done
    case .length(let length): state = .data(left: length, isChunk: false)
    case .chunked: state = .chunkSize
    }
  }

  var isComplete: Bool { if case .done = state { true } else { false } }

  /// Bytes still to come, if a length was given.
  var knownLength: Int? { if case .data(let left, false) = state { left } else { nil } }

  /// Returns the next bytes, 1 to `count`; empty at the end. Waits for them until the deadline.
  /// - Throws: `RequestFailure` if the framing is broken or the body ends too soon.
  mutating func next(_ count: Int, from connection: ControlConnection, deadline: Double?) throws -> ArraySlice<UInt8> {
    while true {
      switch state {
      case .done: return []
      case .data(let left, let isChunk):
        if connection.input.isEmpty {
          guard try connection.fill(deadline: deadline) else { throw Self.cutOff }
        }
        let bytes = connection.consume(min(count, left, connection.input.count))
        let rest = left - bytes.count
        state = rest > 0 ? .data(left: rest, isChunk: isChunk) : isChunk ? .chunkEnd : .done
        return bytes
      case .chunkEnd:
        guard try line(from: connection, deadline).isEmpty else { throw RequestFailure(400, "a chunk is longer than its size says") }
        state = .chunkSize
      case .chunkSize:
        let line = try line(from: connection, deadline)
        let digits = line.prefix { $0 != ";" }.trimmingBlanks
        guard digits.count <= 15, let size = Int(digits, radix: 16), digits.allSatisfy(\.isHexDigit) else {
          throw RequestFailure(400, "'\(line.prefix(20))' is not a chunk's size; it is a hexadecimal number")
        }
        state = size > 0 ? .data(left: size, isChunk: true) : .trailer
      case .trailer:
        let line = try line(from: connection, deadline)
        trailerBytes += line.utf8.count
        guard trailerBytes <= Self.longestLine else { throw RequestFailure(431, "the trailers are too long; send none") }
        if line.isEmpty { state = .done }
      }
    }
  }

  private func line(from connection: ControlConnection, _ deadline: Double?) throws -> Substring {
    while true {
      if let end = connection.input.firstIndex(of: 10) {
        let line = Substring(decoding: connection.consume(end - connection.input.startIndex + 1).dropLast(), as: UTF8.self)
        return line.utf8.last == 13 ? Substring(line.unicodeScalars.dropLast()) : line
      }
      guard connection.input.count <= Self.longestLine else { throw RequestFailure(400, "a line between chunks is too long") }
      guard try connection.fill(deadline: deadline) else { throw Self.cutOff }
    }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
