#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The next bytes of `descriptor`, none at its end; nil if it fails, and `errno` says why.
func readAvailable(_ descriptor: CInt) -> ArraySlice<UInt8>? {
  var bytes = [UInt8](repeating: 0, count: 4096)
  var count = 0
  repeat { count = unsafe read(descriptor, &bytes, bytes.count) } while count < 0 && errno == EINTR
  return count < 0 ? nil : bytes.prefix(count)
}

/// The system's sentence for an error number.
func systemMessage(_ number: CInt) -> String {
  unsafe String(cString: strerror(number))
}
