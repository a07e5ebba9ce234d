internal import CAudioProcessing
internal import Glibc
package import Platform

/// webrtc-audio-processing, loaded when the engine `webrtc` is first chosen: the newest generation that is installed (V7). [any], but not
/// the audio thread
// `@unchecked Sendable`: the library stays loaded and is immutable.
package struct WebRTCLibrary: @unchecked Sendable {
  /// The library with its generation: "webrtc-audio-processing 0.3".
  package let name: String
  /// What was given to the dynamic linker: a path, or a name.
  package let file: String
  /// For `nearend_processor_create`.
  package let handle: OpaquePointer

  /// The variable with folders, separated by colons, in which alone the library is looked for.
  package static let variable = "NEAREND_WEBRTC_PATH"

  /// What this process uses; loads it when first asked. nil if none is installed, or a folder of `NEAREND_WEBRTC_PATH` has none.
  package static let installed: WebRTCLibrary? = find(getenv(variable).map { String(cString: $0) })

  /// Looks for the generations, newest first, and loads the first that is there.
  /// - Parameter folders: where to look, separated by colons; nil is wherever the dynamic linker looks.
  package static func find(_ folders: String?) -> WebRTCLibrary? {
    let given = folders?.split(separator: ":").map(String.init)
    for (number, file) in files.enumerated() {
      let paths = given?.map { "\($0)/\(file)" } ?? [file]
      for path in paths {
        guard let handle = nearend_audio_processing_load(Int32(number), path) else { continue }
        return WebRTCLibrary(name: String(cString: nearend_audio_processing_name(Int32(number))), file: path, handle: handle)
      }
    }
    return nil
  }

  /// The files of all generations, newest first.
  package static let files: [String] = {
    var files: [String] = []
    while let file = nearend_audio_processing_file(Int32(files.count)) { files.append(String(cString: file)) }
    return files
  }()

  /// Held alone while a processor is made, and shared by whoever's samples must not depend on chance. While a processor of 0.3 is made, all
  /// others compute with the library's portable functions instead of the vectorized ones, which round otherwise. Live cycles do not wait
  /// for it: what they lose is rounding.
  package static let making = SharedLock()

  /// Makes a processor for blocks of `block` frames of 10 ms. [control]
  /// - Throws: `CapturePathError.libraryRefused`.
  func makeProcessor(_ kind: nearend_processor_kind, block: Int) throws(CapturePathError) -> OpaquePointer {
    guard let processor = Self.making.alone({ nearend_processor_create(handle, Int32(100 * block), kind) }) else {
      throw .libraryRefused(rate: 100 * block)
    }
    return processor
  }

  /// What to do where there is none.
  package static let remedy = """
    install it: apt install libwebrtc-audio-processing-1-3 (Debian 12: libwebrtc-audio-processing1), dnf install webrtc-audio-processing, or \
    pacman -S webrtc-audio-processing-1
    """
}
