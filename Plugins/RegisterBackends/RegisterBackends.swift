import Foundation
import PackagePlugin

/// Generates the list of plugins that a program is linked with from the dependencies of its target.
///
/// A module is a plugin if its name begins with a role and it depends on SyncKit. Each such module must declare `public let
/// plugins: [any Plugin.Type]`; otherwise the build fails. It also fails for a module that looks like a plugin but would not be
/// registered: see ``Mistake``.
@main struct RegisterBackends: BuildToolPlugin {
  static let roles = ["Backend", "Cloud", "Store", "Cipher"]

  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let linked = Set(target.dependencies.flatMap(\.targets).filter(Self.hasRole).map(\.name))
    let mistakes = try mistakes(in: target, of: context.package, linked: linked)
    guard mistakes.isEmpty else {
      for mistake in mistakes { Diagnostics.error(mistake.description) }
      return []
    }
    let list = context.pluginWorkDirectoryURL.appending(path: "LinkedPlugins.txt")
    let swift = context.pluginWorkDirectoryURL.appending(path: "LinkedPlugins.swift")
    try write(source(registering: linked.sorted(), in: target.name), to: list)
    return [
      .buildCommand(
        displayName: "Registering \(linked.count) plugins in \(target.name)",
        executable: URL(filePath: "/bin/cp"),
        arguments: [list.path(percentEncoded: false), swift.path(percentEncoded: false)],
        inputFiles: [list], outputFiles: [swift])
    ]
  }

  /// The mistakes of the modules that look like plugins: of those that are linked, and those of the program's package.
  private func mistakes(in target: any Target, of package: Package, linked: Set<String>) throws -> [Mistake] {
    let withoutSyncKit = target.dependencies.flatMap(\.targets).filter { Self.hasRole($0) && !Self.usesSyncKit($0) }
    let leftOut = try LeftOut(of: target)
    let own = package.targets.filter { Self.hasRole($0) && Self.usesSyncKit($0) }.map(\.name)
    return Set(withoutSyncKit.map(\.name)).sorted().map { .dependsOnNoSyncKit($0) }
      + own.filter { !linked.contains($0) && !leftOut.modules.contains($0) }.sorted()
      .map { .isNotLinked($0, in: target.name) }
      + leftOut.modules.filter { linked.contains($0) || !own.contains($0) }.sorted()
      .map { .isLeftOutInVain($0, in: target.name) }
  }

  private static func hasRole(_ target: any Target) -> Bool {
    guard let module = target as? SourceModuleTarget, module.kind == .generic else { return false }
    return roles.contains { module.moduleName.hasPrefix($0) }
  }

  private static func usesSyncKit(_ target: any Target) -> Bool {
    target.dependencies.flatMap(\.targets).contains { $0.name == "SyncKit" }
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

  /// An unchanged list is not written, so that nothing is recompiled.
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
