internal import CGpgme
import Synchronization

import class Foundation.Thread

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One operation of GPGME on a thread of its own, with a pipe on either side: what goes in is pushed, and what has come out
/// by then is taken. It ends itself if nothing moves for too long, as with an agent that waits for somebody.
final class Pipeline: Sendable {
  enum Work: Sendable {
    case open
    case seal(for: [String], name: String)
  }

  private let input: Pipe
  private let output: Pipe
  private let context: Context
  private let sleep: @Sendable (Duration) async throws -> Void
  private let end = Mutex<Result<String?, Complaint>?>(nil)

  /// How long nothing may move, in the steps in which it is looked at.
  private static let step = Duration.milliseconds(2)
  private static let patience = 15_000

  init(_ work: Work, _ context: Context, _ sleep: @escaping @Sendable (Duration) async throws -> Void) throws(Complaint)
  {
    self.context = context
    self.sleep = sleep
    input = try Pipe()
    output = try Pipe()
    input.keepFromBlocking(input.writing)
    output.keepFromBlocking(output.reading)
    Thread.detachNewThread { [self] in
      let result = Operation(context: context, source: input.reading, target: output.writing).result(of: work)
      end.withLock { $0 = result }
      output.closeWriting()
    }
  }

  /// Lets a file go in, as far as it goes, and gives what has come out.
  func push(_ chunk: [UInt8]) async throws(Complaint) -> [UInt8] {
    var taken: [UInt8] = []
    var offset = 0
    var idle = 0
    // What has failed takes nothing more; why, the end tells.
    while offset < chunk.count, end.withLock({ $0 == nil }) {
      let written = input.write(chunk[offset...])
      let read = output.read()
      offset += written
      taken += read
      idle = written + read.count > 0 ? 0 : idle + 1
      if idle > 0 { try await wait(idle) }
    }
    return taken + output.read()
  }

  /// Tells that no more comes, and gives the rest with the name that the file was sealed with.
  func finish() async throws(Complaint) -> (rest: [UInt8], name: String?) {
    input.closeWriting()
    var taken: [UInt8] = []
    var idle = 0
    while !output.isAtEnd {
      let read = output.read()
      taken += read
      idle = read.isEmpty ? idle + 1 : 0
      if idle > 0, !output.isAtEnd { try await wait(idle) }
    }
    guard let result = end.withLock({ $0 }) else { throw Complaint("was not accepted by gpg") }
    return (taken, try result.get())
  }

  private func wait(_ idle: Int) async throws(Complaint) {
    guard idle < Self.patience else {
      context.cancel()
      throw Complaint("takes gpg too long; does its agent wait for somebody?", isPassing: true)
    }
    do { try await sleep(Self.step) } catch {
      context.cancel()
      throw Complaint("was not finished, because the pass was stopped", isPassing: true)
    }
  }
}

/// What GPGME does between the pipes.
private struct Operation {
  let context: Context
  let source: CInt
  let target: CInt

  func result(of work: Pipeline.Work) -> Result<String?, Complaint> {
    do throws(Complaint) { return .success(try run(work)) } catch { return .failure(error) }
  }

  private func run(_ work: Pipeline.Work) throws(Complaint) -> String? {
    var (from, to): (gpgme_data_t?, gpgme_data_t?) = (nil, nil)
    try Complaint.check(unsafe gpgme_data_new_from_fd(&from, source))
    defer { unsafe gpgme_data_release(from) }
    try Complaint.check(unsafe gpgme_data_new_from_fd(&to, target))
    defer { unsafe gpgme_data_release(to) }
    switch work {
    case .open:
      try Complaint.check(unsafe gpgme_op_decrypt(context.pointer, from, to))
      return unsafe gpg_file_name_in(context.pointer).map { unsafe String(cString: $0) }
    case .seal(let recipients, let name):
      if !name.isEmpty { try Complaint.check(unsafe gpgme_data_set_file_name(from, name)) }
      let keys = try Keys(recipients, context)
      try Complaint.check(unsafe keys.encrypt(from, to))
      return nil
    }
  }
}

/// Keys that are held as long as something is sealed for them.
@safe private final class Keys {
  private let context: Context
  private var held: [gpgme_key_t?] = unsafe []

  init(_ fingerprints: [String], _ context: Context) throws(Complaint) {
    self.context = context
    for fingerprint in fingerprints {
      var key: gpgme_key_t?
      try Complaint.check(unsafe gpgme_get_key(context.pointer, fingerprint, &key, 0))
      unsafe held.append(key)
    }
  }

  deinit {
    for index in unsafe held.indices { unsafe gpgme_key_unref(held[index]) }
  }

  func encrypt(_ from: gpgme_data_t?, _ to: gpgme_data_t?) -> gpgme_error_t {
    var list = unsafe held + [nil]
    return unsafe gpgme_op_encrypt(context.pointer, &list, gpgme_encrypt_flags_t(0), from, to)
  }
}
