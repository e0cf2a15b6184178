import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Returns a free TCP port of this machine for a program whose port must be known before it starts.
///
/// It is below the ports that the system gives to programs (`ip_local_port_range`, from 32,768 on Linux), so that no other program gets it
/// meanwhile. No other test gets it before this process ends.
public func freePort() throws -> Int {
  for _ in 0..<100 {
    let port = Int.random(in: 20_000..<30_000)
    if isClaimed(port), isFree(UInt16(port)) { return port }
  }
  throw TestFailure("none of 100 ports is free")
}

/// Claims a port by the lock of a file, which ends with this process; returns false if another process or test has claimed it.
private func isClaimed(_ port: Int) -> Bool {
  let file = unsafe open(NSTemporaryDirectory() + "syncd-port-\(port)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  guard file >= 0 else { return false }
  if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
  close(file)
  return false
}

private func isFree(_ port: UInt16) -> Bool {
  #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
  #else
    let kind = SOCK_STREAM
  #endif
  let descriptor = socket(AF_INET, kind, 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return unsafe withUnsafePointer(to: address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
