import Foundation
import Testing

@testable import SSHConnection

@Suite("libssh2") struct LibraryTests {
  /// A thread that closes a connection while the process exits would crash otherwise.
  @Test("libssh2's cryptography works until the process has ended")
  func exitHandlers() async {
    await #expect(processExitsWith: .exitCode(0)) {
      // Handlers run in reverse order, so this one runs after those of the library.
      atexit {
        guard Library.failure == nil else { return }
        let library = unsafe dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD)
        typealias Random = @convention(c) (UnsafeMutablePointer<UInt8>, CInt) -> CInt
        guard let library = unsafe library, let address = unsafe dlsym(library, "RAND_bytes") else { _exit(3) }
        var bytes: [UInt8] = [0, 0, 0, 0]
        if unsafe unsafeBitCast(address, to: Random.self)(&bytes, 4) != 1 { _exit(4) }
      }
      try Library.load()
      exit(0)
    }
  }
}
