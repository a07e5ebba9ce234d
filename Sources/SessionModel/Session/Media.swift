/// Something that sends or receives audio: a component of a program, or an application that uses nearend's devices (L2, L3). [any]
package struct Media: Codable, Sendable, Equatable {
  /// Who registers the media and unregisters it.
  package enum Owner: String, Codable, Sendable {
    /// Registered by a program, in this process or through the control socket.
    case program
    /// An application linked to *Nearend Microphone*, *Nearend Speaker* or a participant's device.
    case application
  }
  /// Unique among the media of one owner: a program's choice, or an application's name with a number, "parec-71".
  package var id: String
  /// Whether it records the processed microphone.
  package var isSend: Bool
  /// Whether it is played on the speaker.
  package var isReceive: Bool
  /// The media's owner: a program's media and an application's are distinct even with the same id.
  package var owner: Owner

  package init(id: String, isSend: Bool, isReceive: Bool, owner: Owner = .program) {
    self.id = id
    self.isSend = isSend
    self.isReceive = isReceive
    self.owner = owner
  }
}
