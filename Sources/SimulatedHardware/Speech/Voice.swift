/// A talker: the voice of espeak-ng, and the text.
package struct Voice: Sendable, Hashable {
  /// espeak-ng's name, for example "en+m3".
  package var name: String
  /// The text that it says, in the language of the voice.
  package var text: String

  /// Creates a talker; whether espeak-ng has the voice turns out on synthesis.
  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// The talker in the room.
  package static let nearEnd = Voice(
    name: "en+m3",
    text: """
      Hello, can you hear me now? I have moved the microphone a little closer to the window. The birch canoe slid on the smooth planks. \
      Glue the sheet to the dark blue background. It is easy to tell the depth of a well. These days a chicken leg is a rare dish. \
      Rice is often served in round bowls. The juice of lemons makes fine punch. The box was thrown beside the parked truck.
      """)

  /// The remote participants, in order.
  package static let farEnd = [
    Voice(
      name: "en+f2",
      text: """
        Yes, loud and clear, thank you. Four hours of steady work faced us. A large size in stockings is hard to sell. The boy was there \
        when the sun rose. A rod is used to catch pink salmon. The source of the huge river is the clear spring. Kick the ball \
        straight and follow through.
        """),
    Voice(
      name: "fr",
      text: """
        Bonjour à tous, je vous entends très bien. La voiture s'est arrêtée au feu rouge. Le pêcheur remonte ses filets avant la nuit. \
        Il faut que je termine ce rapport demain. Le soleil chauffe la mer et les rochers. Ma chemise est roussie et la porte est fermée.
        """),
    Voice(
      name: "de+f4",
      text: """
        Guten Tag, hier regnet es schon seit heute Morgen. Der Bahnhof liegt sieben Minuten von hier entfernt. Öffne doch gleich beide \
        Türen. Die Sonne lacht und der Wind weht kräftig. Zum Schluss sollte noch jemand das Licht ausmachen. Vater will sich \
        eine Pfeife anzünden.
        """),
  ]
}
