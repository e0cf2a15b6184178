internal import RsyncWire
internal import SyncKit

/// A new version of a file to send.
struct Upload: Sendable {
  var path: SyncPath
  var content: Content
  /// The content that must be in place; nil for no file.
  var base: Content?
  /// The list entry for the remote host.
  var file: SentFile
}

/// The result of sending uploads. Only a lookup shows if they arrived.
struct SendResult: Sendable {
  /// The paths at which the remote host did not have the expected version.
  var refused: Set<SyncPath> = []
  /// The local contents that could not be read.
  var unreadable: [SyncPath: SyncError] = [:]
  /// The error that interrupted the transfer, if any.
  var failure: SyncError?
  var exit = CommandExit(errorLines: [])
  /// The reason why a sent file was not put in place, as reported by the remote host.
  var obstacles: [SyncPath: String] = [:]
}

/// The place in which the remote host puts received files.
enum UploadTarget: Sendable {
  /// In place; a replaced file is kept beside the new one, with `suffix` appended to its name.
  case inPlace(suffix: String)
  /// In a staging folder, from where they are put in place afterwards.
  case staged(String)

  fileprivate var command: ServerCommand {
    switch self {
    case .inPlace(let suffix): .receive(suffix: suffix)
    case .staged(let folder): .stage(folder: folder)
    }
  }

  fileprivate var basis: Sending.Basis {
    switch self {
    case .inPlace: .destination
    case .staged: .elsewhere
    }
  }
}

extension RemoteHost {
  /// Sends files. Nothing is sent over a version that is not the expected one.
  func send(_ uploads: [Upload], folders: [SentFile], _ target: UploadTarget) async -> SendResult {
    do throws(SyncError) {
      for upload in uploads { record(Int64(upload.content.size), of: upload.path) }
      let bytes = hashed(uploads.map(\.path))
      var (sent, exit) = try await exchange(target.command, hashing: bytes) { program throws(ExchangeFailure) in
        let sending = try wire { () throws(RsyncError) in
          try Sending(program, folders + uploads.map(\.file), comparedWith: target.basis)
        }
        var exchange = UploadExchange(sending, uploads)
        return try await exchange.run()
      }
      sent.exit.errorLines += exit.errorLines
      sent.exit.status = exit.status
      return sent
    } catch {
      return SendResult(failure: error)
    }
  }

  /// Creates the folder itself; its parent must exist.
  func makeRoot() async throws(SyncError) {
    let path = folder.path.hasSuffix("/") ? String(folder.path.dropLast()) : folder.path
    guard let name = path.split(separator: "/").last, ![".", "..", "~"].contains(name) else { return }
    let parent = String(path.dropLast(name.utf8.count))
    let newFolder = SentFile(name: Array(name.utf8), kind: .newFolder, seconds: 0, nanoseconds: 0)
    let (_, exit) = try await exchange(.makeFolder, in: parent.isEmpty ? "." : parent) {
      program throws(ExchangeFailure) in
      try wire { () throws(RsyncError) in
        let sending = try Sending(program, [newFolder])
        while try sending.next() != nil {}
        try sending.finish()
      }
    }
    guard exit.status == 0 else { throw ErrorTranslator(folder, exit).error(.wire(.brokenOff)) }
  }
}

/// Sends the files that the server requests, after it has shown that it has the expected versions.
private struct UploadExchange {
  private let sending: Sending
  private let uploads: [[UInt8]: Upload]
  private var sent = SendResult()

  init(_ sending: Sending, _ uploads: [Upload]) {
    self.sending = sending
    self.uploads = Dictionary(uniqueKeysWithValues: uploads.map { ($0.path.bytes, $0) })
  }

  mutating func run() async throws(ExchangeFailure) -> SendResult {
    while let event = try wire({ [sending] () throws(RsyncError) in try sending.next() }) {
      guard case .request(let request) = event, let upload = uploads[sending.files[request.index].name] else {
        continue
      }
      if try await isExpected(request, upload) {
        try await send(upload, for: request)
      } else {
        sent.refused.insert(upload.path)
        try wire { [sending] () throws(RsyncError) in try sending.refuse(request) }
      }
    }
    try wire { [sending] () throws(RsyncError) in try sending.finish() }
    sent.exit.errorLines = RemoteHost.lines(sending.remarks)
    return sent
  }

  /// Returns true if the server's version is the one that the change expects. A repeated request means that it has changed in
  /// between.
  private mutating func isExpected(
    _ request: Sending.Request, _ upload: Upload
  ) async throws(ExchangeFailure) -> Bool {
    guard !request.isRepeated else { return false }
    guard let base = upload.base else { return request.isNew }
    guard !request.isNew, request.sums.size == base.size else { return false }
    var builder = SumBuilder(request.sums.head, sending.strongSum)
    do throws(SyncError) {
      var reader = try base.reader()
      while let chunk = try await reader.next() { builder.add(chunk) }
    } catch {
      sent.unreadable[upload.path] = error
      return false
    }
    return builder.finish() == request.sums
  }

  /// Sends a content. One that cannot be read to its end is sent with a wrong hash, so that it is not put in place.
  private mutating func send(_ upload: Upload, for request: Sending.Request) async throws(ExchangeFailure) {
    try wire { [sending] () throws(RsyncError) in try sending.begin(request) }
    var delta = Delta(against: request.sums, sending.strongSum)
    var hash = FileHash()
    var chunks = Chunks(upload.content)
    while let chunk = await chunks.next() {
      hash.add(chunk)
      try send(delta.add(chunk))
    }
    try send(delta.finish())
    let isSame = chunks.failure == nil && hash.finish() == upload.file.hash
    if !isSame {
      sent.unreadable[upload.path] =
        chunks.failure ?? SyncError(.changedMeanwhile, "\(upload.path) changed while it was sent")
    }
    let sentHash = isSame ? upload.file.hash : Array(repeating: 0, count: 16)
    try wire { [sending] () throws(RsyncError) in try sending.end(hash: sentHash) }
  }

  private func send(_ parts: [Delta.Part]) throws(ExchangeFailure) {
    try wire { [sending] () throws(RsyncError) in for part in parts { try sending.send(part) } }
  }
}

/// Reads a content once; ends early if that fails, and keeps the error.
private struct Chunks {
  private let content: Content
  private var reader: (any ContentReader)?
  private(set) var failure: SyncError?

  init(_ content: Content) { self.content = content }

  mutating func next() async -> [UInt8]? {
    guard failure == nil else { return nil }
    do throws(SyncError) {
      var reading = if let reader { reader } else { try content.reader() }
      let chunk = try await reading.next()
      reader = reading
      return chunk
    } catch {
      failure = error
      return nil
    }
  }
}
