import ControlClient
import Foundation
import Nearend
import SessionModel

extension ControlClient {
  /// Has the running nearend carry a command out; returns nil for one that cannot be written as JSON.
  func perform(_ command: Command) throws(TransferError) -> HTTPAnswer? {
    let command = CommandRequest(command)
    guard let json = try? JSONEncoder().encode(command.body) else { return nil }
    return try request(command.method, command.target, json: json)
  }

  /// Returns what is at `target`; nil where no nearend answers, or with something else.
  func answered<Value: Decodable>(_ type: Value.Type, _ target: String) -> Value? {
    guard let answer = try? request("GET", target), answer.isSuccess else { return nil }
    return try? JSONDecoder.ofDocuments.decode(type, from: answer.body)
  }
}
