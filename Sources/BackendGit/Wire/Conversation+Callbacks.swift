internal import CGit2
internal import GitObjects
internal import Programs
internal import SyncKit

// The callbacks for libgit2, and the context from which they find the Swift objects.

extension Conversation {
  /// The callbacks that make libgit2 use our transport. The conversation must outlive the connection.
  var callbacks: git_remote_callbacks {
    var callbacks = unsafe git_remote_callbacks()
    unsafe git_remote_init_callbacks(&callbacks, UInt32(GIT_REMOTE_CALLBACKS_VERSION))
    unsafe callbacks.payload = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe callbacks.transport = { unsafe makeTransport($0, $1, $2) }
    unsafe callbacks.transfer_progress = { progress, payload in
      unsafe Conversation.of(payload).take(received: progress?.pointee.received_bytes ?? 0)
    }
    unsafe callbacks.pack_progress = { _, _, _, payload in
      unsafe Conversation.of(payload).stop.isAsked ? GIT_EUSER.rawValue : 0
    }
    unsafe callbacks.sideband_progress = { text, count, payload in
      unsafe Conversation.of(payload).take(remark: UnsafeRawBufferPointer(start: text, count: Int(count)))
      return 0
    }
    unsafe callbacks.push_update_reference = { _, status, payload in
      unsafe Conversation.of(payload).take(serverError: status.map { unsafe String(cString: $0) })
      return 0
    }
    unsafe callbacks.push_negotiation = { updates, count, payload in
      guard count == 1, let update = unsafe updates?[0] else { return GIT_EUSER.rawValue }
      let current = unsafe ObjectID(update.pointee.src)
      return unsafe Conversation.of(payload).negotiate(current == .zero ? nil : current)
    }
    return unsafe callbacks
  }

  fileprivate static func of(_ payload: UnsafeMutableRawPointer?) -> Conversation {
    guard let payload = unsafe payload else { preconditionFailure("libgit2 has lost what it was handed") }
    return unsafe Unmanaged<Conversation>.fromOpaque(payload).takeUnretainedValue()
  }
}

private func makeTransport(
  _ out: UnsafeMutablePointer<UnsafeMutablePointer<git_transport>?>?, _ owner: OpaquePointer?,
  _ payload: UnsafeMutableRawPointer?
) -> CInt {
  var definition = unsafe git_smart_subtransport_definition(
    callback: { unsafe makeSubtransport($0, $1, $2) }, rpc: Conversation.of(payload).isStateless ? 1 : 0, param: payload
  )
  return unsafe git_transport_smart(out, owner, &definition)
}

private func makeSubtransport(
  _ out: UnsafeMutablePointer<UnsafeMutablePointer<git_smart_subtransport>?>?, _: UnsafeMutablePointer<git_transport>?,
  _ payload: UnsafeMutableRawPointer?
) -> CInt {
  let made = UnsafeMutablePointer<git_context_subtransport>.allocate(capacity: 1)
  unsafe made.initialize(to: git_context_subtransport())
  unsafe made.pointee.base.action = { unsafe begin($0, $1, $3) }
  unsafe made.pointee.base.close = { _ in 0 }
  unsafe made.pointee.base.free = { subtransport in
    guard let subtransport = unsafe subtransport else { return }
    unsafe CallbackContext.context(of: subtransport).release()
    unsafe UnsafeMutableRawPointer(subtransport).deallocate()
  }
  let callbacks = unsafe CallbackContext(Conversation.of(payload))
  unsafe made.pointee.context = unsafe Unmanaged.passRetained(callbacks).toOpaque()
  unsafe out?.pointee = unsafe UnsafeMutableRawPointer(made).assumingMemoryBound(to: git_smart_subtransport.self)
  return 0
}

/// The context of a conversation for libgit2, with the open stream.
@safe private final class CallbackContext {
  let conversation: Conversation
  /// The stream of a stateful conversation, for which libgit2 asks repeatedly.
  var stream: UnsafeMutablePointer<git_smart_subtransport_stream>?

  init(_ conversation: Conversation) { self.conversation = conversation }

  static func context(of subtransport: UnsafeMutablePointer<git_smart_subtransport>) -> Unmanaged<CallbackContext> {
    let whole = unsafe UnsafeMutableRawPointer(subtransport).assumingMemoryBound(to: git_context_subtransport.self)
    guard let context = unsafe whole.pointee.context else { preconditionFailure("a subtransport without a context") }
    return unsafe Unmanaged<CallbackContext>.fromOpaque(context)
  }
}

/// The context of a channel for libgit2.
private final class OpenChannel {
  let channel: any Channel
  let callbacks: CallbackContext
  private var limit = AnswerLimit()

  init(_ channel: any Channel, _ callbacks: CallbackContext) {
    self.channel = channel
    self.callbacks = callbacks
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) {
    limit.recordMessage()
    try unsafe channel.write(bytes)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    let count = try unsafe channel.read(into: buffer)
    guard unsafe limit.accepts(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
      throw SyncError(
        .wrongReplica,
        "the server's list of branches and tags, or its answer, is longer than \(AnswerLimit.size >> 20) MiB; check `url`, or remove branches and tags"
      )
    }
    return count
  }

  static func of(_ stream: UnsafeMutablePointer<git_smart_subtransport_stream>?) -> Unmanaged<OpenChannel> {
    guard let stream = unsafe stream,
      let context = unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: git_context_stream.self).pointee
        .context
    else { preconditionFailure("a stream without a context") }
    return unsafe Unmanaged<OpenChannel>.fromOpaque(context)
  }
}

private func begin(
  _ out: UnsafeMutablePointer<UnsafeMutablePointer<git_smart_subtransport_stream>?>?,
  _ subtransport: UnsafeMutablePointer<git_smart_subtransport>?, _ service: git_smart_service_t
) -> CInt {
  guard let subtransport = unsafe subtransport else { return GIT_ERROR.rawValue }
  let callbacks = unsafe CallbackContext.context(of: subtransport).takeUnretainedValue()
  if !callbacks.conversation.isStateless, let stream = unsafe callbacks.stream {
    unsafe out?.pointee = stream
    return 0
  }
  return callbacks.conversation.attempt { () throws(SyncError) in
    let channel = try callbacks.conversation.open(service)
    let made = UnsafeMutablePointer<git_context_stream>.allocate(capacity: 1)
    unsafe made.initialize(to: git_context_stream())
    unsafe made.pointee.base.subtransport = unsafe subtransport
    unsafe made.pointee.base.read = { unsafe read($0, $1, $2, $3) }
    unsafe made.pointee.base.write = { unsafe write($0, $1, $2) }
    unsafe made.pointee.base.free = { unsafe free($0) }
    unsafe made.pointee.context = unsafe Unmanaged.passRetained(OpenChannel(channel, callbacks)).toOpaque()
    let stream = unsafe UnsafeMutableRawPointer(made).assumingMemoryBound(to: git_smart_subtransport_stream.self)
    unsafe callbacks.stream = unsafe stream
    unsafe out?.pointee = unsafe stream
  }
}

private func read(
  _ stream: UnsafeMutablePointer<git_smart_subtransport_stream>?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ count: UnsafeMutablePointer<Int>?
) -> CInt {
  let open = unsafe OpenChannel.of(stream).takeUnretainedValue()
  return open.callbacks.conversation.attempt { () throws(SyncError) in
    unsafe count?.pointee = try unsafe open.read(
      into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
  }
}

private func write(
  _ stream: UnsafeMutablePointer<git_smart_subtransport_stream>?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> CInt {
  let open = unsafe OpenChannel.of(stream).takeUnretainedValue()
  return open.callbacks.conversation.attempt { () throws(SyncError) in
    try unsafe open.write(UnsafeRawBufferPointer(start: bytes, count: count))
  }
}

private func free(_ stream: UnsafeMutablePointer<git_smart_subtransport_stream>?) {
  let context = unsafe OpenChannel.of(stream)
  let open = unsafe context.takeUnretainedValue()
  open.channel.close(isComplete: open.callbacks.conversation.failure == nil)
  unsafe open.callbacks.stream = nil
  unsafe context.release()
  unsafe UnsafeMutableRawPointer(stream)?.deallocate()
}
