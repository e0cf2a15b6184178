#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Program {
  /// A program that ends while we talk to it must not end us.
  static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}
