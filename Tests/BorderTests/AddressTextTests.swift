import Border
import Testing

@Suite("Addresses in messages")
struct AddressTextTests {
  @Test(
    "T3: of an address, scheme, host, port and path are told, and no password and no key",
    arguments: [
      ("https://user:secret@host:8443/a/b?key=secret#secret", "https://host:8443/a/b"), ("http://secret@host", "http://host"),
      ("https://user:secret?secret@host/a", "https://host/a"), ("http://user:sec/ret@host", "http://host"),
      ("http://[::1]:4318/a@b", "http://[::1]:4318/a@b"), ("http://host/a@b", "http://host/a@b"), ("user:secret@host", "host"),
      ("nowhere", "nowhere"), ("", ""), ("//", "//"), ("@", ""),
    ])
  func withoutSecrets(address: String, told: String) { #expect(address.withoutSecrets == told) }
}
