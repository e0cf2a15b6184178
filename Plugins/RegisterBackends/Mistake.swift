/// The reason why a module that looks like a plugin cannot be registered.
enum Mistake: CustomStringConvertible {
  /// The program's package has the module, but the program does not link it.
  case isNotLinked(String, in: String)
  /// The program links the module, but the module cannot declare a plugin.
  case dependsOnNoSyncKit(String)
  /// The module is linked, or it is not a plugin of this package, so it need not be left out.
  case isLeftOutInVain(String, in: String)

  /// The mistake, and its solution.
  var description: String {
    switch self {
    case .isNotLinked(let module, let program):
      "the module \(module) looks like a plugin, and \(program) is not linked with it; add \"\(module)\" to the "
        + "dependencies of \(program) in Package.swift, or a line \"\(module) REASON\" to \(LeftOut.fileName) in the "
        + "folder of \(program)"
    case .dependsOnNoSyncKit(let module):
      "the module \(module) is named like a plugin and does not depend on SyncKit; add SyncKit to the dependencies of "
        + "\(module) in Package.swift, or give the module another name"
    case .isLeftOutInVain(let module, let program):
      "\(LeftOut.fileName) of \(program) names \(module), which is linked with \(program) or is not a plugin of this "
        + "package; remove the line"
    }
  }
}
