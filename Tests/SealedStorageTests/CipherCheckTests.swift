import Crypto
import EncryptionTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge

/// The checks accept a correct cipher, and at least one of them detects each planted flaw.
@Suite struct CipherCheckTests {
  @Test(arguments: CipherCheck.all) func `a correct cipher passes`(check: CipherCheck) async throws {
    try await check.run(on: CheckedCipher(ToyCipher(), stranger: ToyCipher()))
  }

  @Test(arguments: ToyCipher.Flaw.allCases) func `the checks find each planted flaw of a cipher`(flaw: ToyCipher.Flaw)
    async throws
  {
    let cipher = CheckedCipher(ToyCipher(flaw: flaw), stranger: ToyCipher(flaw: flaw))
    var complaints: [String] = []
    for check in CipherCheck.all {
      do { try await check.run(on: cipher) } catch let failure as CheckFailure {
        complaints.append(failure.description)
      }
    }
    #expect(!complaints.isEmpty, "\(flaw) passed all checks")
  }

  @Test(arguments: ["right"] + ToyFiles.Flaw.allCases.map { "\($0)" })
  func `the checks find each planted flaw of a file encryption`(name: String) async throws {
    let flaw = ToyFiles.Flaw.allCases.first { "\($0)" == name }
    let (files, others) = (ToyFiles(flaw: flaw), ToyFiles())
    let checked = CheckedFileSealer(
      files, sample: { ToyFiles(key: files.key).encrypted($0, ["ann"]) }, foreign: { others.encrypted($0, ["eve"]) })
    var complaints: [String] = []
    for check in FileSealerCheck.all {
      do { try await check.run(on: checked) } catch let failure as CheckFailure {
        complaints.append(failure.description)
      }
    }
    #expect(complaints.isEmpty == (flaw == nil), "\(name): \(complaints)")
  }
}

/// A small correct `FileSealer`, in which a flaw can be planted.
private struct ToyFiles: FileSealer {
  enum Flaw: CaseIterable {
    case changesReaders, isDeterministic, provesNothing, ignoresLimit, showsText, readsEverything
  }

  var key = SymmetricKey(size: .bits256)
  var flaw: Flaw?

  func encrypted(_ text: [UInt8], _ readers: [String]) -> [UInt8] {
    let plain = [UInt8(readers.joined(separator: ",").utf8.count)] + readers.joined(separator: ",").utf8 + text
    if flaw == .showsText || flaw == .provesNothing {
      return [flaw == .showsText ? 0 : 0x55] + plain.map { $0 ^ (flaw == .showsText ? 0 : 0x55) }
    }
    let nonce = flaw == .isDeterministic ? [UInt8](repeating: 0, count: 12) : Runtime.real.random(12)
    do { return [1] + (try ChaChaPoly.seal(plain, using: key, nonce: ChaChaPoly.Nonce(data: nonce)).combined) } catch {
      preconditionFailure("12 bytes are a nonce")
    }
  }

  func open(_ sealed: [UInt8], atMost limit: Int) throws(SyncError) -> OpenedFile {
    guard let kind = sealed.first else { throw SyncError(.suspect, "is empty") }
    let plain: [UInt8]
    if kind == 1 {
      do { plain = Array(try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: sealed.dropFirst()), using: key)) } catch {
        guard flaw == .readsEverything else { throw SyncError(.unauthorized, "has another key, or is damaged") }
        plain = [0] + sealed
      }
    } else {
      guard flaw == .showsText || flaw == .provesNothing else { throw SyncError(.suspect, "is damaged") }
      plain = sealed.dropFirst().map { $0 ^ kind }
    }
    guard let count = plain.first.map(Int.init), plain.count > count else { throw SyncError(.suspect, "is damaged") }
    let text = Array(plain.dropFirst(1 + count))
    guard text.count <= limit || flaw == .ignoresLimit else { throw SyncError(.suspect, "is too large") }
    let readers = String(decoding: plain[1..<1 + count], as: UTF8.self).split(separator: ",").map(String.init)
    return OpenedFile(text: text, readers: Set(readers), isArmored: false)
  }

  func seal(_ text: [UInt8], like file: OpenedFile) throws(SyncError) -> [UInt8] {
    encrypted(text, flaw == .changesReaders ? ["eve"] : file.readers.sorted())
  }
}
