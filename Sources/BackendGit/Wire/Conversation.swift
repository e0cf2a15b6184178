internal import CGit2
internal import GitObjects
internal import Programs
internal import SyncKit

/// The state that our callbacks share during one libgit2 connection: the transport, and the errors that libgit2 cannot pass on.
final class Conversation {
  private let transport: any Transport
  /// The maximum size of a pack.
  private let largestFetch: Int
  let stop: Stop
  /// The commit that the branch must have for a push to proceed; nil: the branch must not exist. Set for a push only.
  var expected: ObjectID??
  /// The error that ended the conversation.
  private(set) var failure: SyncError?
  /// True if the changes were sent to the remote.
  private(set) var hasSentChanges = false
  /// True if the branch does not have the expected commit.
  private(set) var isOvertaken = false
  /// The server's status for the branch: nil before it reported one, empty for success.
  private(set) var serverError: String?
  private var remarks: [UInt8] = []

  init(_ transport: any Transport, largestFetch: Int, _ stop: Stop) {
    self.transport = transport
    self.largestFetch = largestFetch
    self.stop = stop
  }

  /// The server's messages, such as those of a hook that rejects the push.
  var remark: String {
    let lines = remarks.split { $0 == 0x0A || $0 == 0x0D }.map { printable($0) }
    return lines.suffix(4).joined(separator: " / ")
  }

  var isStateless: Bool { transport.isStateless }

  /// Runs `body` in a callback, and keeps its error, because libgit2 only passes on that there was one.
  func attempt(_ body: () throws(SyncError) -> Void) -> CInt {
    do throws(SyncError) {
      try body()
      return 0
    } catch {
      failure = failure ?? error
      return GIT_ERROR.rawValue
    }
  }

  func open(_ service: git_smart_service_t) throws(SyncError) -> any Channel {
    switch service {
    case GIT_SERVICE_UPLOADPACK_LS: try transport.open(.fetch, asksWhatThereIs: true, stop)
    case GIT_SERVICE_UPLOADPACK: try transport.open(.fetch, asksWhatThereIs: false, stop)
    case GIT_SERVICE_RECEIVEPACK_LS: try transport.open(.push, asksWhatThereIs: true, stop)
    default: try transport.open(.push, asksWhatThereIs: false, stop)
    }
  }

  /// Called while a pack arrives, which libgit2 writes to the disk. A result other than 0 aborts the fetch.
  func take(received size: Int) -> CInt {
    guard !stop.isAsked else { return GIT_EUSER.rawValue }
    return attempt { () throws(SyncError) in
      guard size > largestFetch else { return }
      throw SyncError(
        .unavailable,
        "the repository sends more than `max-fetch` allows (\(ByteSize(bytes: largestFetch).text)); nothing was changed"
      )
    }
  }

  func negotiate(_ current: ObjectID?) -> CInt {
    guard let expected, current == expected else {
      isOvertaken = true
      return GIT_EUSER.rawValue
    }
    hasSentChanges = true
    return 0
  }

  func take(serverError text: String?) { serverError = text ?? "" }

  func take(remark text: UnsafeRawBufferPointer) {
    unsafe remarks.append(contentsOf: text)
    remarks = remarks.suffix(2_048)
  }
}
