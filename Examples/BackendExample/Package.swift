// swift-tools-version: 6.3
import PackageDescription

let syncd = "syncd"

let package = Package(
  name: "BackendExample",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: syncd, path: "../.."), .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .target(name: "CloudBundle", dependencies: [.product(name: "SyncKit", package: syncd)]),
    .target(
      name: "CloudKeyValue",
      dependencies: [.product(name: "SyncKit", package: syncd), .product(name: "CurlHTTP", package: syncd)]),
    .target(name: "BackendStaged", dependencies: [.product(name: "SyncKit", package: syncd)]),
    .target(
      name: "StoreFolder",
      dependencies: [.product(name: "SyncKit", package: syncd), .product(name: "FileTree", package: syncd)]),
    .target(
      name: "CipherBox",
      dependencies: [
        .product(name: "SyncKit", package: syncd), .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "bundle-syncd",
      dependencies: [
        "CloudBundle", "CloudKeyValue", "BackendStaged", "StoreFolder", "CipherBox",
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
    .testTarget(
      name: "RolesTests",
      dependencies: [
        "BackendStaged", "CipherBox", "StoreFolder", .product(name: "SyncKit", package: syncd),
        .product(name: "SyncKitTesting", package: syncd),
      ]),
    .testTarget(
      name: "CloudKeyValueTests",
      dependencies: [
        "CloudKeyValue", .product(name: "SyncKit", package: syncd), .product(name: "SyncKitTesting", package: syncd),
        .product(name: "ProgramTesting", package: syncd),
      ],
      exclude: ["key-value-server.py"]),
  ],
  swiftLanguageModes: [.v6]
)
