// swift-tools-version: 6.3
import PackageDescription

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")

// A package of its own, so that only the engine and the simulations are built, and optimized. All folders of `Sources` but one, and
// `Sources/Histories/Simulation`, are links to the libraries and to their tests.
let package = Package(
  name: "Histories",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .systemLibrary(name: "CPOSIX"),
    .target(name: "ChildProcesses", dependencies: ["CPOSIX"]),
    .target(name: "SettingsRegistry", dependencies: ["ChildProcesses"]),
    .target(name: "SyncKit", dependencies: ["SettingsRegistry", log, crypto]),
    .target(name: "SyncKitTesting", dependencies: ["SyncKit"]),
    .target(name: "MeshState", dependencies: ["SyncKit"]),
    .executableTarget(name: "Histories", dependencies: ["MeshState", "SyncKit", "SyncKitTesting"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // The simulation of a mesh uses internal parts of SyncKitTesting.
    .unsafeFlags(["-enable-testing"]),
  ]
}
