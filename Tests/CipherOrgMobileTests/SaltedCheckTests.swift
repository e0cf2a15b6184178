import SyncKit
import SyncKitTesting
import Testing

@testable import CipherOrgMobile

/// The checks for a cipher that proves nothing, and the proof that it proves nothing.
@Suite struct SaltedCheckTests {
  private static func cipher(_ password: String = "secret") -> SaltedCipher {
    SaltedCipher(password: Array(password.utf8), random: Runtime.real.random)
  }

  @Test(arguments: CipherCheck.withoutProof) func passes(check: CipherCheck) async throws {
    try await check.run(on: CheckedCipher(Self.cipher(), stranger: Self.cipher("other")))
  }

  @Test func `this cipher is not allowed for storages, and the checks show why`() async throws {
    #expect(!OpenSSL.sealsStorages)
    var complaints = 0
    for check in CipherCheck.all {
      do { try await check.run(on: CheckedCipher(Self.cipher(), stranger: Self.cipher("other"))) } catch is CheckFailure
      {
        complaints += 1
      }
    }
    #expect(complaints >= 3)
  }
}
