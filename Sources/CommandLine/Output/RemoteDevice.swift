import SyncKit

/// A device that has written to a remote.
struct RemoteDevice {
  var name: String
  var isThisOne: Bool

  /// Returns the devices of a remote by name.
  ///
  /// - Parameter names: their names by device id; by name where the remote records no ids.
  static func all(_ names: [String: String], _ own: Device) -> [RemoteDevice] {
    names.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { id, name in
      RemoteDevice(name: name, isThisOne: id == own.id || id == name && name == own.name)
    }
  }

  /// The devices in a line if there are others than this one, and a warning if two have one name.
  static func lines(_ devices: [RemoteDevice]) -> [String] {
    guard devices.contains(where: { !$0.isThisOne }) else { return [] }
    let list = devices.map { $0.isThisOne ? "\($0.name) (this device)" : $0.name }.joined(separator: ", ")
    let names = Dictionary(grouping: devices, by: \.name)
    let shared = names.filter { $0.value.count > 1 }.keys.sorted()
    return ["  \(devices.count == 1 ? "device" : "devices"): \(list)"]
      + shared.map {
        "  several devices are named \($0); set `device` in [syncd] on one of them to tell them apart, or ignore this if one was "
          + "set up again"
      }
  }

  var json: JSON { ["name": .string(name), "this": .boolean(isThisOne)] }
}
