// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that only the merge of OrgKit and the documents with known results are built, and optimized.
// `Sources/OrgKit` and `Sources/KnownMerges/KnownResults` are links to the library and to its tests.
let package = Package(
  name: "KnownMerges",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "OrgKit"),
    .executableTarget(name: "KnownMerges", dependencies: ["OrgKit"], exclude: ["KnownResults/KnownResultTests.swift"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
