/// Something that sends or receives audio: a component of a program, or an application that uses nearend's devices (L2, L3). [any]
public struct Media: Codable, Sendable, Equatable {
  public enum Owner: String, Codable, Sendable {
    /// Registered by a program, in this process or through the control socket.
    case program
    /// An application linked to *Nearend Microphone*, *Nearend Speaker* or a participant's device.
    case application
  }
  public var id: String
  /// Takes the processed microphone.
  public var isSend: Bool
  /// Is played on the speaker.
  public var isReceive: Bool
  public var owner: Owner

  package init(id: String, isSend: Bool, isReceive: Bool, owner: Owner = .program) {
    self.id = id
    self.isSend = isSend
    self.isReceive = isReceive
    self.owner = owner
  }
}
