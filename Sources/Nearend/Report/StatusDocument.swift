import Foundation
import SessionModel

extension Snapshot {
  /// The status document, as `--json` prints it. Keys are the fields' names, sorted. [any]
  package func json() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // Every field is a number, a string or a list of them: encoding cannot fail.
    guard let data = try? encoder.encode(self) else { preconditionFailure("a snapshot is always encodable") }
    return String(decoding: data, as: UTF8.self)
  }
}
