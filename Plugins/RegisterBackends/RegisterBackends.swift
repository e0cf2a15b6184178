import Foundation
import PackagePlugin

/// Writes the list of plugins that a program is linked with, from the dependencies of its target.
///
/// A module is registered if its name begins with a role and it depends on SyncKit. Each such module declares
/// `public let plugins: [any Plugin.Type]`; one that does not fails the build, so nothing is left out silently.
@main struct RegisterBackends: BuildToolPlugin {
  static let roles = ["Backend", "Cloud", "Store", "Cipher"]

  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let modules = Set(target.dependencies.flatMap(\.targets).filter(isPluginModule).map(\.name)).sorted()
    let list = context.pluginWorkDirectoryURL.appending(path: "LinkedPlugins.txt")
    let swift = context.pluginWorkDirectoryURL.appending(path: "LinkedPlugins.swift")
    try write(source(registering: modules, in: target.name), to: list)
    return [
      .buildCommand(
        displayName: "Registering \(modules.count) plugins in \(target.name)",
        executable: URL(filePath: "/bin/cp"),
        arguments: [list.path(percentEncoded: false), swift.path(percentEncoded: false)],
        inputFiles: [list], outputFiles: [swift])
    ]
  }

  private func isPluginModule(_ target: any Target) -> Bool {
    guard let module = target as? SourceModuleTarget, module.kind == .generic else { return false }
    return Self.roles.contains { module.moduleName.hasPrefix($0) }
      && module.dependencies.flatMap(\.targets).contains { $0.name == "SyncKit" }
  }

  private func source(registering modules: [String], in target: String) -> String {
    """
    // Generated from the dependencies of \(target). Do not edit.
    import SyncKit
    \(modules.map { "import \($0)" }.joined(separator: "\n"))

    let linkedPlugins = ([
    \(modules.map { "  \($0).plugins," }.joined(separator: "\n"))
    ] as [[any Plugin.Type]]).flatMap { $0 }

    """
  }

  /// An unchanged list is left alone, so that nothing is compiled again for it.
  private func write(_ text: String, to file: URL) throws {
    guard (try? String(contentsOf: file, encoding: .utf8)) != text else { return }
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}

extension TargetDependency {
  fileprivate var targets: [any Target] {
    switch self {
    case .target(let target): [target]
    case .product(let product): product.targets
    @unknown default: []
    }
  }
}
