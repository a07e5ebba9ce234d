/// The D-Bus names of logind (org.freedesktop.login1(5)).
enum LoginNames {
  static let service = "org.freedesktop.login1"
  static let path = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  static let session = "org.freedesktop.login1.Session"
  static let properties = "org.freedesktop.DBus.Properties"
}
