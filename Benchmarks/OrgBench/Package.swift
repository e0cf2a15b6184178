// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that measuring OrgKit builds nothing but OrgKit; `Sources/OrgKit` is a link to the library.
let package = Package(
  name: "OrgBench",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "OrgKit"),
    .executableTarget(name: "OrgBench", dependencies: ["OrgKit"]),
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
