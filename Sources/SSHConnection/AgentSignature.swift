internal import CPOSIX
internal import CSSH2
internal import SyncKit

/// Signs authentication requests of libssh2 with one key of an ssh agent.
final class AgentSignature {
  private let agent: SSHAgent
  private let key: SSHAgent.Key
  /// The error of the agent, if it did not answer.
  private(set) var failure: SyncError?

  init(by agent: SSHAgent, _ key: SSHAgent.Key) {
    self.agent = agent
    self.key = key
  }

  /// Offers the key to the host. Call it again while it returns `LIBSSH2_ERROR_EAGAIN`.
  func authenticate(_ user: String, on session: OpaquePointer) -> CInt {
    var context: UnsafeMutableRawPointer? = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe libssh2_userauth_publickey(
      session, user, key, key.count,
      { _, signature, count, data, dataCount, context in
        guard let owner = unsafe context?.pointee else { return LIBSSH2_ERROR_AGENT_PROTOCOL }
        let data = unsafe Array(UnsafeBufferPointer(start: data, count: dataCount))
        let bytes = unsafe Unmanaged<AgentSignature>.fromOpaque(owner).takeUnretainedValue().signature(of: data)
        guard let bytes, let copy = unsafe malloc(max(1, bytes.count)) else { return LIBSSH2_ERROR_AGENT_PROTOCOL }
        // libssh2 frees the copy.
        unsafe copy.copyMemory(from: bytes, byteCount: bytes.count)
        unsafe signature?.pointee = unsafe copy.assumingMemoryBound(to: UInt8.self)
        unsafe count?.pointee = bytes.count
        return 0
      }, &context)
  }

  private func signature(of data: [UInt8]) -> [UInt8]? {
    guard failure == nil else { return nil }
    do throws(SyncError) { return try agent.sign(data, with: key) } catch {
      failure = error
      return nil
    }
  }
}
