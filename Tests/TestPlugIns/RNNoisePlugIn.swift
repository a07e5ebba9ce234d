import Foundation

/// RNNoise as a LADSPA plug-in, as fetched by `Scripts/install-dependencies test`.
public enum RNNoisePlugIn {
  /// The folder that contains `librnnoise_ladspa.so`.
  public static let folder = FileManager.default.currentDirectoryPath + "/.build/rnnoise"

  public static let isThere = access("\(folder)/librnnoise_ladspa.so", R_OK) == 0

  /// The reason for skipping a test that needs it.
  public static let reason = "RNNoise's LADSPA plug-in could not be fetched from PyPI: no network, or another kind of machine"
}
