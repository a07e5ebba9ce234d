/// FLAC, whose frames have no size: its decoder finds what is missing, if the header tells the length.
enum FLACExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("fLaC", at: start) else { return nil }
    // A further file begins with the name and a STREAMINFO of 34 bytes, which may be the last block of its header.
    let next = [UInt8(0), 0x80].compactMap { file.first(Array("fLaC".utf8) + [$0, 0, 0, 34], from: start + 4) }.min()
    // Samples in all: the last 36 of the 64 bits that begin with the rate.
    let isTold = file.number(start + 22, 4, .big).map { $0 != 0 || (file.byte(start + 21) ?? 0) & 0x0F != 0 } ?? true
    return SoundExtent(end: next ?? file.count, evidence: isTold ? .whole : .untold)
  }
}
