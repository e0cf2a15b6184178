// swift-tools-version: 6.3
import PackageDescription

/// The plugins that `syncd` is linked with. Adding a line here is the whole registration of a backend.
let plugins = [
  "BackendBitTorrent",
  "BackendGit",
  "BackendOrgMobile",
  "BackendPlainFiles",
  "BackendRsyncSSH",
  "CipherAge",
  "CipherGPG",
  "CipherOrgMobile",
  "CloudBox",
  "CloudDropbox",
  "CloudFolder",
  "CloudGitHub",
  "CloudICloud",
  "CloudS3",
  "CloudSFTP",
  "CloudWebDAV",
  "StoreOrgFiles",
  "StoreSQLite",
]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqliteLibrary = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let ciphers = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")

/// The libraries that are opened when they are first needed; on Apple's systems they are linked.
let openedLibraries = ["CCurl": "curl", "CGit2": "git2", "CSSH2": "ssh2", "CGpgme": "gpgme"]

/// The libraries of plugins in addition to SyncKit: a local file tree, Org text, HTTP, XML, ciphers, libgit2, GPGME.
let foundations: [String: [Target.Dependency]] = [
  "BackendBitTorrent": ["CPOSIX", "ChildProcesses", "MeshState", "MeshStore", crypto],
  "BackendGit": ["CGit2", "CPOSIX", "CurlHTTP", "GitObjects", "Programs", "SSHConnection"],
  "BackendOrgMobile": ["CPOSIX", "OrgKit", crypto],
  "BackendRsyncSSH": ["Programs", "RsyncWire", "SSHConnection"],
  "CipherAge": [crypto, ciphers],
  "CipherGPG": ["CGpgme"],
  "CipherOrgMobile": [crypto, ciphers],
  "CloudBox": ["CurlHTTP", "HTTPStorage", "SettingsRegistry", crypto],
  "CloudDropbox": ["CurlHTTP", "HTTPStorage"],
  "CloudFolder": ["FileTree"],
  "CloudGitHub": ["CurlHTTP", "GitObjects", "HTTPStorage", crypto],
  "CloudICloud": ["FileTree", "OrgMerging"],
  "CloudS3": ["CurlHTTP", "ExpatXML", "HTTPStorage", "SettingsRegistry", crypto],
  "CloudSFTP": ["Programs", "SFTPWire", "SSHConnection"],
  "CloudWebDAV": ["CurlHTTP", "ExpatXML", "HTTPStorage"],
  "StoreOrgFiles": ["FileTree"],
  "StoreSQLite": [sqlite, sqliteLibrary],
]

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// The HTTP server of `syncd serve`. Without the trait `Hub`, nothing of it is compiled.
let hubServer = [
  ("Hummingbird", "hummingbird"), ("HummingbirdCore", "hummingbird"), ("HTTPTypes", "swift-http-types"),
  ("NIOCore", "swift-nio"), ("NIOSSL", "swift-nio-ssl"),
].map { name, package in
  Target.Dependency.product(name: name, package: package, condition: .when(traits: ["Hub"]))
}

let package = Package(
  name: "syncd",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "syncd", targets: ["syncd"]),
    .executable(name: "box-emulator", targets: ["box-emulator"]),
    .executable(name: "dropbox-emulator", targets: ["dropbox-emulator"]),
    .executable(name: "github-emulator", targets: ["github-emulator"]),
    .plugin(name: "RegisterBackends", targets: ["RegisterBackends"]),
    .library(name: "SyncKit", targets: ["SyncKit"]),
    .library(name: "SealedStorage", targets: ["SealedStorage"]),
    .library(name: "SettingsRegistry", targets: ["SettingsRegistry"]),
    .library(name: "OrgKit", targets: ["OrgKit"]),
    .library(name: "ArchiveSQLite", targets: ["ArchiveSQLite"]),
    .library(name: "OrgMerging", targets: ["OrgMerging"]),
    .library(name: "SyncDaemon", targets: ["SyncDaemon"]),
    .library(name: "CommandLine", targets: ["CommandLine"]),
    .library(name: "SyncKitTesting", targets: ["SyncKitTesting"]),
    .library(name: "ProgramTesting", targets: ["ProgramTesting"]),
    .library(name: "StandardPlugins", targets: plugins),
  ] + (plugins + ["CurlHTTP", "FileTree", "Programs", "SSHConnection"]).map { .library(name: $0, targets: [$0]) },
  traits: [
    .trait(name: "Hub", description: "`syncd serve`: the HTTP server for phones and browsers."),
    .default(enabledTraits: ["Hub"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .target(name: "ChildProcesses", dependencies: ["CPOSIX"]),
    .target(name: "SettingsRegistry", dependencies: ["ChildProcesses"]),
    .target(name: "OrgKit"),
    .systemLibrary(name: "CPOSIX", path: "Sources/CLibraries/CPOSIX"),
    .systemLibrary(name: "CExpat", path: "Sources/CLibraries/CExpat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/CLibraries/CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CLibrary", path: "Sources/CLibraries/CLibrary"),
    .target(name: "CHubClient", path: "Sources/CLibraries/CHubClient"),
    .target(name: "HubClient", dependencies: ["CHubClient"], exclude: ["web"]),
    .target(name: "ExpatXML", dependencies: ["CExpat"]),
    .target(name: "CurlHTTP", dependencies: ["CCurl", "SettingsRegistry"]),
    .target(name: "RsyncWire", dependencies: [crypto]),
    .target(name: "SyncKit", dependencies: ["SettingsRegistry", log, crypto]),
    .target(name: "HTTPStorage", dependencies: ["CurlHTTP", "SyncKit"]),
    .target(name: "GitObjects", dependencies: ["SyncKit"]),
    .target(name: "SealedStorage", dependencies: ["SyncKit", crypto, ciphers]),
    .target(name: "FileTree", dependencies: ["SyncKit", "CPOSIX", metrics]),
    .target(name: "Programs", dependencies: ["SyncKit", "ChildProcesses", "CPOSIX"]),
    .target(name: "SSHConnection", dependencies: ["SyncKit", "CPOSIX", "CSSH2", "Programs", crypto]),
    .target(name: "SFTPWire", dependencies: ["SSHConnection", "SyncKit"]),
    .target(name: "SyncKitTesting", dependencies: ["SyncKit"]),
    .target(name: "MeshState", dependencies: ["SyncKit"]),
    .target(name: "MeshStore", dependencies: ["CPOSIX", "MeshState", "SettingsRegistry", "SyncKit", crypto]),
    .target(name: "ArchiveSQLite", dependencies: ["SyncKit", "CPOSIX", "CZstd", sqlite, sqliteLibrary]),
    .target(name: "OrgMerging", dependencies: ["SyncKit", "OrgKit"]),
    .target(name: "ItemIndex", dependencies: ["OrgKit", "SyncKit", sqlite]),
    .target(name: "WebPush", dependencies: [crypto]),
    .target(name: "QRCodes"),
    .target(name: "SubtreeSelection", dependencies: ["SyncKit", "OrgKit"]),
    .target(
      name: "SyncDaemon",
      dependencies: [
        "ArchiveSQLite", "CurlHTTP", "ItemIndex", "OrgMerging", "Programs", "SealedStorage", "SubtreeSelection",
        "SyncKit", "OrgKit",
        "CPOSIX", log, metrics, lifecycle, signals,
      ]),
    .target(
      name: "Hub",
      dependencies: [
        "CurlHTTP", "HTTPStorage", "ItemIndex", "OrgKit", "Programs", "QRCodes", "SyncDaemon", "SyncKit", "WebPush",
        crypto, log, sqlite,
      ]),
    .target(
      name: "HubServer", dependencies: ["Hub", "HubClient", "SyncDaemon", "SyncKit", log, lifecycle] + hubServer),
    .target(
      name: "CommandLine",
      dependencies: [
        "FileTree", "Hub", "HubServer", "SyncDaemon", "ArchiveSQLite", "ItemIndex", "OrgMerging", "QRCodes",
        "SealedStorage", "SyncKit",
        "OrgKit", "CPOSIX", log,
        arguments,
        crypto,
        ciphers,
      ]),
    .executableTarget(
      name: "syncd",
      dependencies: ["CommandLine", "SyncKit"] + plugins.map { .target(name: $0) },
      plugins: ["RegisterBackends"]),
    .plugin(name: "RegisterBackends", capability: .buildTool()),
    .executableTarget(
      name: "phone-host",
      dependencies: ["ArchiveSQLite", "CloudGitHub", "OrgKit", "OrgMerging", "StoreSQLite", "SyncKit"],
      path: "Examples/PhoneHost"),
    .target(
      name: "EmulatorWire",
      dependencies: ["SettingsRegistry", .product(name: "FlyingSocks", package: "FlyingFox")],
      path: "Emulators/EmulatorWire"),
    .target(
      name: "BoxEmulator", dependencies: ["EmulatorWire", "SettingsRegistry", crypto],
      path: "Emulators/BoxEmulator"),
    .target(
      name: "DropboxEmulator", dependencies: ["EmulatorWire", "SettingsRegistry", crypto],
      path: "Emulators/DropboxEmulator"),
    .target(
      name: "GitHubEmulator", dependencies: ["EmulatorWire", "Programs", "SettingsRegistry", crypto],
      path: "Emulators/GitHubEmulator"),
    .executableTarget(
      name: "github-emulator", dependencies: ["EmulatorWire", "GitHubEmulator", arguments],
      path: "Emulators/github-emulator"),
    .executableTarget(
      name: "box-emulator", dependencies: ["BoxEmulator", "EmulatorWire", arguments], path: "Emulators/box-emulator"),
    .executableTarget(
      name: "dropbox-emulator", dependencies: ["DropboxEmulator", "EmulatorWire", arguments],
      path: "Emulators/dropbox-emulator"),

    .testTarget(
      name: "SettingsRegistryTests",
      dependencies: ["SettingsRegistry", "ProgramTesting", .product(name: "TOMLKit", package: "TOMLKit")]),
    .testTarget(name: "OrgKitTests", dependencies: ["OrgKit", "ProgramTesting"], exclude: ["Corpus"]),
    .testTarget(name: "SyncKitTests", dependencies: ["SyncKit", "SyncKitTesting", "ProgramTesting"]),
    .testTarget(
      name: "FileTreeTests",
      dependencies: [
        "FileTree", "CloudFolder", "StoreOrgFiles", "CPOSIX", "SyncKit", "SyncKitTesting", "ProgramTesting",
      ]),
    .target(name: "ProgramTesting", dependencies: ["CPOSIX"], path: "Tests/ProgramTesting"),
    .target(
      name: "ServerTesting",
      dependencies: [
        "BackendOrgMobile", "CipherOrgMobile", "CurlHTTP", "ProgramTesting", "SyncKit", "SyncKitTesting",
      ],
      path: "Tests/ServerTesting",
      exclude: ["faulty-proxy.py", "push-service.py"]),
    .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses", "CPOSIX"]),
    .testTarget(name: "SyncKitTestingTests", dependencies: ["SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "MeshStoreTests", dependencies: ["MeshState", "MeshStore", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "BackendBitTorrentTests",
      dependencies: [
        "BackendBitTorrent", "MeshStore", "ProgramTesting", "ServerTesting", "SyncKit", "SyncKitTesting", "syncd",
      ],
      exclude: ["fetch-segment.py", "hosts.py", "judge-hosts.py"]),
    .testTarget(name: "MeshStateTests", dependencies: ["MeshState", "ProgramTesting", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "CloudFolderTests", dependencies: ["CloudFolder", "ProgramTesting", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "CloudICloudTests",
      dependencies: [
        "CloudFolder", "CloudICloud", "CPOSIX", "FileTree", "OrgMerging", "ProgramTesting", "ServerTesting", "SyncKit",
        "SyncKitTesting",
      ]),
    .testTarget(
      name: "StoreOrgFilesTests", dependencies: ["StoreOrgFiles", "ProgramTesting", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "StoreSQLiteTests",
      dependencies: ["StoreSQLite", "ProgramTesting", "SyncKit", "SyncKitTesting", sqlite]),
    .testTarget(
      name: "BackendPlainFilesTests", dependencies: ["BackendPlainFiles", "SyncKit", "SyncKitTesting"]),
    .testTarget(name: "ProgramsTests", dependencies: ["Programs", "ProgramTesting", "SyncKit"]),
    .testTarget(
      name: "CommandLineTests", dependencies: ["ProgramTesting", "CommandLine", "OrgKit", "SyncKit", arguments]),
    .testTarget(name: "SFTPWireTests", dependencies: ["SFTPWire", "SSHConnection", "SyncKit"]),
    .testTarget(name: "SSHConnectionTests", dependencies: ["SSHConnection"]),
    .testTarget(
      name: "RsyncWireTests", dependencies: ["RsyncWire", "SyncKit", "ProgramTesting"], exclude: ["Fixtures"]),
    .testTarget(
      name: "CurlHTTPTests", dependencies: ["CurlHTTP", "ProgramTesting"],
      exclude: ["badly-behaved-server.py", "tls-peers.py"]),
    .testTarget(name: "ExpatXMLTests", dependencies: ["ExpatXML"]),
    .testTarget(name: "GitObjectsTests", dependencies: ["GitObjects", "SyncKit"]),
    .testTarget(name: "HTTPStorageTests", dependencies: ["CurlHTTP", "HTTPStorage", "SyncKit"]),
    .testTarget(
      name: "CloudS3Tests",
      dependencies: [
        "CloudS3", "CurlHTTP", "HTTPStorage", "SyncKit", "SyncKitTesting", "ProgramTesting", "ServerTesting",
      ],
      exclude: ["Support/hostile-server.py"]),
    .testTarget(
      name: "CloudSFTPTests",
      dependencies: [
        "CloudSFTP", "SSHConnection", "SyncKit", "SyncKitTesting", "ProgramTesting", "ServerTesting",
      ],
      exclude: ["Support/faulty-sftp.py", "Support/hostile-sftp.py"]),
    .testTarget(
      name: "CloudWebDAVTests",
      dependencies: [
        "CloudWebDAV", "CurlHTTP", "HTTPStorage", "SyncKit", "SyncKitTesting", "ProgramTesting", "ServerTesting",
      ],
      exclude: ["Support/spoiling-proxy.py"]),
    .testTarget(
      name: "BackendOrgMobileTests",
      dependencies: [
        "BackendOrgMobile", "CipherOrgMobile", "CloudFolder", "CloudWebDAV", "OrgKit", "SyncKit", "SyncKitTesting",
        "ProgramTesting", "ServerTesting",
      ],
      exclude: ["Fixtures", "Emacs"]),
    .target(
      name: "EncryptionTesting", dependencies: ["CipherGPG", "ProgramTesting", "SyncKit", "SyncKitTesting"],
      path: "Tests/EncryptionTesting"),
    .testTarget(
      name: "SealedStorageTests",
      dependencies: [
        "CipherAge", "CipherGPG", "CloudFolder", "EncryptionTesting", "ProgramTesting", "SealedStorage", "SyncKit",
        "SyncKitTesting", crypto,
      ]),
    .testTarget(
      name: "CipherAgeTests",
      dependencies: ["CipherAge", "EncryptionTesting", "ProgramTesting", "SyncKit", "SyncKitTesting", crypto],
      exclude: ["age-prompt.py"]),
    .testTarget(name: "CipherOrgMobileTests", dependencies: ["CipherOrgMobile", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "CipherGPGTests",
      dependencies: ["CipherGPG", "EncryptionTesting", "ProgramTesting", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "CloudBoxTests",
      dependencies: [
        "BoxEmulator", "box-emulator", "CloudBox", "CurlHTTP", "EmulatorWire", "HTTPStorage", "SettingsRegistry",
        "syncd", "SyncKit", "SyncKitTesting", "ProgramTesting", "ServerTesting",
      ],
      exclude: ["box-sdk-check.py"]),
    .testTarget(
      name: "CloudDropboxTests",
      dependencies: [
        "CloudDropbox", "CurlHTTP", "DropboxEmulator", "dropbox-emulator", "EmulatorWire", "HTTPStorage", "syncd",
        "SyncKit", "SyncKitTesting",
        "ProgramTesting", "ServerTesting", "CPOSIX",
      ],
      exclude: ["Support/hostile-dropbox.py", "dropbox-sdk-check.py", "dropbox-batches-check.py"]),
    .testTarget(
      name: "CloudGitHubTests",
      dependencies: [
        "CloudGitHub", "CurlHTTP", "EmulatorWire", "GitHubEmulator", "GitObjects", "github-emulator", "phone-host",
        "syncd",
        "SyncKit",
        "SyncKitTesting", "ProgramTesting", "ServerTesting",
      ],
      exclude: ["forgejo-sdk-check.py", "github-sdk-check.py"]),
    .testTarget(
      name: "BackendGitTests",
      dependencies: [
        "BackendGit", "CurlHTTP", "GitObjects", "OrgMerging", "Programs", "SSHConnection", "StoreOrgFiles", "SyncKit",
        "SyncKitTesting", "ProgramTesting", "ServerTesting",
      ]),
    .testTarget(
      name: "BackendRsyncSSHTests",
      dependencies: [
        "BackendRsyncSSH", "Programs", "ProgramTesting", "RsyncWire", "SSHConnection", "SyncKit", "SyncKitTesting",
        "ServerTesting",
      ],
      exclude: ["Support/sftp-proxy.py"]),
    .testTarget(
      name: "ArchiveSQLiteTests", dependencies: ["ArchiveSQLite", "ProgramTesting", "SyncKit"],
      exclude: ["Support/read-archive.py"]),
    .testTarget(
      name: "SubtreeSelectionTests",
      dependencies: ["OrgKit", "OrgMerging", "SubtreeSelection", "SyncKit", "SyncKitTesting"]),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "Hub", "OrgKit", "ProgramTesting", "QRCodes", "ServerTesting", "SettingsRegistry", "StoreOrgFiles",
        "SyncDaemon", "SyncKit", "WebPush", log, sqlite,
      ]),
    .testTarget(name: "QRCodesTests", dependencies: ["ProgramTesting", "QRCodes"]),
    .testTarget(name: "WebPushTests", dependencies: ["WebPush", crypto]),
    .testTarget(
      name: "HubClientTests", dependencies: ["HubClient", "ProgramTesting", "syncd"],
      exclude: ["Browser"]),
    .testTarget(
      name: "HubServerTests",
      dependencies: ["CurlHTTP", "Hub", "OrgKit", "ProgramTesting", "ServerTesting", "SyncKit", "syncd"]),
    .testTarget(name: "ItemIndexTests", dependencies: ["ItemIndex", "OrgKit", "ProgramTesting", "SyncKit"]),
    .testTarget(name: "OrgMergingTests", dependencies: ["OrgMerging", "SyncKit"]),
    .testTarget(
      name: "SyncDaemonTests",
      dependencies: [
        "ArchiveSQLite", "ItemIndex", "OrgKit", "ProgramTesting", "SyncDaemon", "SyncKit", "SyncKitTesting", metrics,
      ]),
    .testTarget(
      name: "SyncdTests",
      dependencies: ["ArchiveSQLite", "SyncKit", "CPOSIX", "ProgramTesting", "ServerTesting", "syncd"],
      exclude: [
        "Fixtures", "HostileServers", "Storm/storm.py", "Support/emacs.el", "Support/terminal.py",
        "Support/unit-sandbox.py",
      ]),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "BackendGit", "BackendOrgMobile", "BackendRsyncSSH", "CipherAge", "CipherGPG", "CloudDropbox", "CloudWebDAV",
        "ExpatXML", "GitObjects", "OrgKit", "ProgramTesting", "RsyncWire", "SealedStorage", "SettingsRegistry",
        "SyncDaemon", "SyncKit",
      ],
      exclude: ["Corpus"]),
  ]
    + plugins.map { name in
      .target(name: name, dependencies: ["SyncKit"] + (foundations[name] ?? []))
    }
    + openedLibraries.sorted(by: { $0.key < $1.key }).map { name, library in
      .target(
        name: name, dependencies: ["CLibrary"], path: "Sources/CLibraries/\(name)",
        linkerSettings: [.linkedLibrary(library, .when(platforms: [.macOS, .iOS]))])
    },
  swiftLanguageModes: [.v6]
)

for target in package.targets where ![.plugin, .system].contains(target.type) {
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
