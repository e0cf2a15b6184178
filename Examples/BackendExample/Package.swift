// swift-tools-version: 6.3
import PackageDescription

let syncd = "syncd"

let package = Package(
  name: "BackendExample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: syncd, path: "../..")],
  targets: [
    .target(name: "CloudBundle", dependencies: [.product(name: "SyncKit", package: syncd)]),
    .executableTarget(
      name: "bundle-syncd",
      dependencies: [
        "CloudBundle",
        .product(name: "SyncKit", package: syncd),
        .product(name: "CommandLine", package: syncd),
        .product(name: "BackendPlainFiles", package: syncd),
        .product(name: "StoreOrgFiles", package: syncd),
      ],
      plugins: [.plugin(name: "RegisterBackends", package: syncd)]),
    .executableTarget(
      name: "embedded-sync",
      dependencies: ["SyncKit", "ArchiveSQLite", "OrgMerging", "StoreOrgFiles", "CloudFolder"].map {
        .product(name: $0, package: syncd)
      }),
    .testTarget(name: "EmbeddedSyncTests", dependencies: ["embedded-sync"]),
    .testTarget(
      name: "CloudBundleTests",
      dependencies: [
        "CloudBundle", "bundle-syncd", .product(name: "SyncKit", package: syncd),
        .product(name: "SyncKitTesting", package: syncd),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
