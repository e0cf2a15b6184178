import ArchiveSQLite
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension StateFolder {
  /// Returns the device that is recorded in this folder; nil if there is none yet.
  ///
  /// - Parameter name: the name in the settings; nil for the host name.
  public func device(named name: DeviceName? = nil) -> Device? {
    guard let bytes = try? StateFile(file("device"), O_RDONLY).read(atMost: 64) else { return nil }
    let id = String(decoding: bytes, as: UTF8.self)
    guard id.last == "\n", id.dropLast().count >= 12, id.dropLast().allSatisfy(\.isLetterOrDigit) else { return nil }
    return Device(id: String(id.dropLast()), name: name?.text ?? Self.hostName)
  }

  /// Returns the device; creates its id if it has none. A new id is a new device to every remote, which is always safe.
  ///
  /// - Parameter name: the name in the settings; nil for the host name.
  public func makeDevice(named name: DeviceName? = nil, in runtime: Runtime = .real) throws(SyncError) -> Device {
    if let device = device(named: name) { return device }
    let device = Device(id: runtime.uniqueName(length: 16), name: name?.text ?? Self.hostName)
    try StateFile.replace(file("device"), with: Array((device.id + "\n").utf8))
    return device
  }

  /// The host name without its domain, as a device's name; `device` if it has no letter or digit.
  static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    let bytes = buffer.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map { UInt8(bitPattern: $0) }
    return Device.name(from: String(decoding: bytes, as: UTF8.self)) ?? "device"
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
