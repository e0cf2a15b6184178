/// A whole settings file as documentation shows it: its sections in the order in which a person meets them.
///
/// Several sections may share a table, as those of the stores do; a choice among them tells which one counts.
/// ``template`` and ``schema`` are made from it.
public struct SettingsLayout: Sendable, Hashable {
  /// The sections.
  public let sections: [SettingsSection]

  /// A file of these sections. A setting that chooses a plugin is one of the ids that the sections have for it.
  public init(_ sections: [SettingsSection]) {
    self.sections = sections.map { section in
      var section = section
      section.declarations = section.declarations.map { declaration in
        let ids = sections.compactMap(\.choice).filter { $0.path == section.path && $0.key == declaration.key }.map(
          \.id)
        return ids.isEmpty ? declaration : declaration.choosing(from: ids)
      }
      return section
    }
  }
}

extension SettingDeclaration {
  /// The same for a setting that chooses one of the plugins with these ids, or none if it is optional or that is its default.
  fileprivate func choosing(from ids: [String]) -> SettingDeclaration {
    let mayBeNone = standard == .string(Registry.none) || (standard == nil && !isRequired)
    var declaration = self
    declaration.form = .one(of: mayBeNone ? ids + [Registry.none] : ids)
    return declaration
  }
}
