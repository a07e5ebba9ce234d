extension Bus {
  /// Listens to who owns a well-known name: `changed` receives the unique name of the new owner, or nil once nobody owns it.
  package func watch(name: String, _ changed: @escaping (_ owner: String?) -> Void) {
    let driver = "org.freedesktop.DBus"
    listen(
      "type='signal',sender='\(driver)',path='/org/freedesktop/DBus',interface='\(driver)',member='NameOwnerChanged',arg0='\(name)'"
    ) { message in
      // Anybody may send a signal to this connection alone, which no rule holds back.
      guard message.sender == driver, message.readText() == name, message.readText() != nil, let owner = message.readText() else { return }
      changed(owner.isEmpty ? nil : owner)
    }
  }
}
