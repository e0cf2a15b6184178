internal import RsyncWire
internal import SyncKit

/// A new version of a file on its way.
struct Parcel: Sendable {
  var path: SyncPath
  var content: Content
  /// What has to be there; nil: nothing.
  var base: Content?
  /// How the remote host sees it.
  var file: SentFile
}

/// What is known of parcels after they were sent. Only a lookup shows if they arrived.
struct Dispatch: Sendable {
  /// Something else was there than should be.
  var refused: Set<SyncPath> = []
  /// What could not be read here.
  var unreadable: [SyncPath: SyncError] = [:]
  /// Why the transfer was interrupted, if it was.
  var failure: SyncError?
  var ending = Ending(errorLines: [])
  /// Why something that was sent was not put in place, in words of the other side.
  var obstacles: [SyncPath: String] = [:]
}

/// How the other side is to take files in.
enum Intake: Sendable {
  /// In place; what each replaces is kept beside it, with `suffix` behind its name.
  case inPlace(suffix: String)
  /// In a folder of their own, from where they are put in place afterwards.
  case staged(String)

  fileprivate var command: ServerCommand {
    switch self {
    case .inPlace(let suffix): .take(suffix: suffix)
    case .staged(let folder): .stage(folder: folder)
    }
  }

  fileprivate var basis: Sending.Basis {
    switch self {
    case .inPlace: .place
    case .staged: .elsewhere
    }
  }
}

extension FarSide {
  /// Sends files. Nothing is sent over something that is not what it should be.
  func send(_ parcels: [Parcel], folders: [SentFile], _ intake: Intake) async -> Dispatch {
    do throws(SyncError) {
      for parcel in parcels { note(Int64(parcel.content.size), of: parcel.path) }
      let bytes = hashed(parcels.map(\.path))
      var (dispatch, ending) = try await converse(intake.command, hashing: bytes) { program throws(ExchangeFailure) in
        let sending = try wire { () throws(RsyncError) in
          try Sending(program, folders + parcels.map(\.file), comparedWith: intake.basis)
        }
        var delivery = Delivery(sending, parcels)
        return try await delivery.run()
      }
      dispatch.ending.errorLines += ending.errorLines
      dispatch.ending.status = ending.status
      return dispatch
    } catch {
      return Dispatch(failure: error)
    }
  }

  /// Makes the folder itself; the one that holds it has to be there.
  func makeRoot() async throws(SyncError) {
    let path = place.path.hasSuffix("/") ? String(place.path.dropLast()) : place.path
    guard let name = path.split(separator: "/").last, ![".", "..", "~"].contains(name) else { return }
    let parent = String(path.dropLast(name.utf8.count))
    let folder = SentFile(name: Array(name.utf8), kind: .newFolder, seconds: 0, nanoseconds: 0)
    let (_, ending) = try await converse(.makeFolder, in: parent.isEmpty ? "." : parent) {
      program throws(ExchangeFailure) in
      try wire { () throws(RsyncError) in
        let sending = try Sending(program, [folder])
        while try sending.next() != nil {}
        try sending.finish()
      }
    }
    guard ending.status == 0 else { throw Trouble(place, ending).error(.wire(.brokenOff)) }
  }
}

/// Sends what the other side asks for, once it has shown that it has what it should.
private struct Delivery {
  private let sending: Sending
  private let parcels: [[UInt8]: Parcel]
  private var dispatch = Dispatch()

  init(_ sending: Sending, _ parcels: [Parcel]) {
    self.sending = sending
    self.parcels = Dictionary(uniqueKeysWithValues: parcels.map { ($0.path.bytes, $0) })
  }

  mutating func run() async throws(ExchangeFailure) -> Dispatch {
    while let event = try wire({ [sending] () throws(RsyncError) in try sending.next() }) {
      guard case .request(let request) = event, let parcel = parcels[sending.files[request.index].name] else {
        continue
      }
      if try await isExpected(request, parcel) {
        try await send(parcel, for: request)
      } else {
        dispatch.refused.insert(parcel.path)
        try wire { [sending] () throws(RsyncError) in try sending.refuse(request) }
      }
    }
    try wire { [sending] () throws(RsyncError) in try sending.finish() }
    dispatch.ending.errorLines = FarSide.lines(sending.remarks)
    return dispatch
  }

  /// Returns true if what the other side has is what the change is for. What it asks for again has changed in between.
  private mutating func isExpected(
    _ request: Sending.Request, _ parcel: Parcel
  ) async throws(ExchangeFailure) -> Bool {
    guard !request.isRepeated else { return false }
    guard let base = parcel.base else { return request.isNew }
    guard !request.isNew, request.sums.size == base.size else { return false }
    var builder = SumBuilder(request.sums.head, sending.strongSum)
    do throws(SyncError) {
      var reader = try base.reader()
      while let chunk = try await reader.next() { builder.add(chunk) }
    } catch {
      dispatch.unreadable[parcel.path] = error
      return false
    }
    return builder.finish() == request.sums
  }

  /// A content that cannot be read to its end is sent with a wrong hash, so that nothing is put in place.
  private mutating func send(_ parcel: Parcel, for request: Sending.Request) async throws(ExchangeFailure) {
    try wire { [sending] () throws(RsyncError) in try sending.begin(request) }
    var delta = Delta(against: request.sums, sending.strongSum)
    var hash = FileHash()
    var chunks = Chunks(parcel.content)
    while let chunk = await chunks.next() {
      hash.add(chunk)
      try send(delta.add(chunk))
    }
    try send(delta.finish())
    let isSame = chunks.failure == nil && hash.finish() == parcel.file.hash
    if !isSame {
      dispatch.unreadable[parcel.path] =
        chunks.failure ?? SyncError(.changedMeanwhile, "\(parcel.path) changed while it was sent")
    }
    let told = isSame ? parcel.file.hash : Array(repeating: 0, count: 16)
    try wire { [sending] () throws(RsyncError) in try sending.end(hash: told) }
  }

  private func send(_ parts: [Delta.Part]) throws(ExchangeFailure) {
    try wire { [sending] () throws(RsyncError) in for part in parts { try sending.send(part) } }
  }
}

/// One reading of a content that ends early where it fails, and says so afterwards.
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
