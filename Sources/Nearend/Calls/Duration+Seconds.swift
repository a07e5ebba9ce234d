extension Duration {
  /// In seconds.
  var inSeconds: Double { self / .seconds(1) }
}
