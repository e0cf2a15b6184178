import ArchiveSQLite
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension StateFolder {
  /// Returns the device that is recorded in this folder; nil if there is none yet.
  public func device() -> Device? {
    guard let bytes = try? StateFile(file("device"), O_RDONLY).read(atMost: 64) else { return nil }
    let id = String(decoding: bytes, as: UTF8.self)
    guard id.last == "\n", id.dropLast().count >= 12, id.dropLast().allSatisfy(\.isLetterOrDigit) else { return nil }
    return Device(id: String(id.dropLast()), name: Self.hostName)
  }

  /// Returns the device; creates its id if it has none. A new id is a new device to every remote, which is always safe.
  public func makeDevice(in runtime: Runtime = .real) throws(SyncError) -> Device {
    if let device = device() { return device }
    let device = Device(id: runtime.uniqueName(length: 16), name: Self.hostName)
    try StateFile.replace(file("device"), with: Array((device.id + "\n").utf8))
    return device
  }

  /// The letters and digits of the host name; `device` if it has none.
  static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
    let bytes = buffer.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map { UInt8(bitPattern: $0) }
    let name = String(decoding: bytes, as: UTF8.self).filter(\.isLetterOrDigit)
    return name.isEmpty ? "device" : name
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
