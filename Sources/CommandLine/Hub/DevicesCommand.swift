import ArgumentParser
import Hub
import SyncDaemon
import SyncKit

/// `syncd devices`: the devices that are paired with the hub.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the devices that are paired with the hub, or revoke one.",
    subcommands: [DevicesListCommand.self, DevicesRevokeCommand.self], defaultSubcommand: DevicesListCommand.self)
}

/// `syncd devices list`: lists the devices.
struct DevicesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the devices that are paired with the hub.")

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let devices = try HubDatabase.opened(common).devices()
    if common.json {
      return Console.print(json: ["version": 1, "devices": .array(devices.map(\.json))])
    }
    for device in devices {
      let place = device.address.isEmpty ? "" : " from \(device.address)"
      Console.print(
        "\(device.name)  \(device.scope.rawValue)  last seen \(LocalTime(device.seen))\(place)  \(device.id)")
    }
    if devices.isEmpty, !common.quiet { Console.print("No paired devices. Run `syncd pair` to add one.") }
  }
}

/// `syncd devices revoke`: revokes a device.
struct DevicesRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a device: its next request is refused, and it deletes what it has stored.",
    discussion: "Example: syncd devices revoke \"Ann's phone\"")

  @OptionGroup var common: CommonOptions
  @Argument(help: "Name or identifier of the device.") var device: String

  func run() async throws {
    let revoked = try HubDatabase.opened(common).revoke(device)
    guard !revoked.isEmpty else {
      throw SyncError(.notFound, "no paired device is named \(device.printable); run `syncd devices` to list them")
    }
    if common.json {
      return Console.print(json: ["version": 1, "revoked": .array(revoked.map(\.json))])
    }
    if !common.quiet { Console.print("revoked \(revoked.count.counted("device"))") }
  }
}

extension HubDatabase {
  /// The database of the store that a command is for.
  fileprivate static func opened(_ common: CommonOptions) throws -> HubDatabase {
    let state = StateFolder(path: try common.configuration().stateFolder)
    try state.create()
    return try HubDatabase(in: state.path)
  }
}
