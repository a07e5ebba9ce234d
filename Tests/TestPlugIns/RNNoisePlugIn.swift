import Foundation

/// RNNoise as a LADSPA plug-in, as fetched by `Scripts/install-dependencies test`.
package enum RNNoisePlugIn {
  /// The folder that contains `librnnoise_ladspa.so`.
  package static let folder = FileManager.default.currentDirectoryPath + "/.build/rnnoise"

  package static let isThere = access("\(folder)/librnnoise_ladspa.so", R_OK) == 0

  /// The reason for skipping a test that needs it.
  package static let reason = "RNNoise's LADSPA plug-in could not be fetched from PyPI: no network, or another kind of machine"
}
