extension Int {
  /// The number with its noun in the right form: `1 file`, `2 files`.
  ///
  /// - Parameter plural: the plural; by default the singular with an "s".
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? singular : plural ?? singular + "s")"
  }
}
