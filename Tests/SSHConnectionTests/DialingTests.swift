import Foundation
import Testing

@testable import SSHConnection

@Suite("A host with several addresses") struct DialingTests {
  @Test("an address that never answers leaves time for the next one")
  func share() throws {
    var (first, second): (UnsafeMutablePointer<addrinfo>?, UnsafeMutablePointer<addrinfo>?)
    var hints = unsafe addrinfo()
    unsafe hints.ai_protocol = CInt(IPPROTO_TCP)
    for address in ["127.0.0.1", "127.0.0.2"] {
      var found: UnsafeMutablePointer<addrinfo>?
      try #require(unsafe getaddrinfo(address, "9", &hints, &found) == 0)
      unsafe (first, second) = (found, first)
    }
    defer { unsafe freeaddrinfo(first) }
    unsafe first?.pointee.ai_next = second
    var shares: [Duration] = []
    _ = unsafe Dialing.dial(first, within: .seconds(3_600)) { _, deadline in
      shares.append(deadline.rest)
      return false
    }
    try #require(shares.count == 2)
    // The first one may use half of the time, and the second one all that is left.
    #expect(shares[0] <= .seconds(1_800) && shares[1] > .seconds(1_800), "\(shares)")
  }
}
