/// A whole settings file as documentation shows it: its sections in the order in which a person meets them.
///
/// Several sections may share a table, as those of the stores do; a choice among them tells which one counts.
/// ``template`` and ``schema`` are made from it.
public struct SettingsLayout: Sendable, Hashable {
  /// The sections.
  public let sections: [SettingsSection]

  /// A file of these sections.
  public init(_ sections: [SettingsSection]) { self.sections = sections }
}
