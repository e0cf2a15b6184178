import SettingsRegistry

/// The message for a name that is not a remote's.
package struct UnknownRemote: CustomStringConvertible {
  let name: String
  /// The names of the remotes.
  let known: [String]

  package init(_ name: String, among known: [String]) {
    self.name = name
    self.known = known
  }

  /// A sentence without its full stop, with the nearest name or all names.
  package var description: String { sentence + advice }

  /// The same without advice.
  var sentence: String { "no remote named \"\(name)\"" }

  private var advice: String {
    if known.isEmpty { return "; the settings have no remotes. Add one with `syncd remote add`" }
    if let nearest = known.nearest(to: name) { return "; did you mean \"\(nearest)\"?" }
    return "; the remotes are \(known.joined(separator: ", "))"
  }
}
