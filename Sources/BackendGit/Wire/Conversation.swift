internal import CGit2
internal import Programs
internal import SyncKit

/// What one connection of libgit2 to a repository knows of us: the transport it goes by, and what came up on the way that
/// libgit2 cannot tell.
final class Conversation {
  private let transport: any Transport
  let stop: Stop
  /// What the branch has to be for a push to go on; nil: not there. Set for a push only.
  var expected: ObjectID??
  /// Why the conversation broke down, in our words.
  private(set) var failure: SyncError?
  /// True if the changes were sent to the remote.
  private(set) var hasSentChanges = false
  /// True if the branch is not what it has to be.
  private(set) var isOvertaken = false
  /// What the other side said of the branch: nil before it said anything, empty if all is well.
  private(set) var serverError: String?
  private var remarks: [UInt8] = []

  init(_ transport: any Transport, _ stop: Stop) {
    self.transport = transport
    self.stop = stop
  }

  /// What the other side has remarked, such as the words of a hook that declines.
  var remark: String {
    let lines = remarks.split { $0 == 0x0A || $0 == 0x0D }.map { printable($0) }
    return lines.suffix(4).joined(separator: " / ")
  }

  var isStateless: Bool { transport.isStateless }

  /// Does something that may fail for libgit2, which only hears that it did.
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
