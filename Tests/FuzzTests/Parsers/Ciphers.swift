@testable import CipherAge
@testable import CipherGPG

extension FuzzTarget {
  static let age = FuzzTarget(
    name: "age", tokens: ["-> X25519 ", "-> scrypt ", "-> syncd/label/2\n", "--- ", "\n", "AAAA", "="]
  ) { input in
    var reader = HeaderReader()
    guard let (header, _) = try? reader.read(input) else { return }
    guard header.text.count <= input.count else { throw Wrong("the header grew") }
  }

  static let openPGP = FuzzTarget(
    name: "openpgp", tokens: ["-----BEGIN PGP MESSAGE-----\n\n", "-----END PGP MESSAGE-----\n", "\u{3}", "="]
  ) { input in
    _ = try? MessageHead(input)
  }
}
