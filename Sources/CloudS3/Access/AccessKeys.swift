/// The keys of an account: they sign requests and are never sent, except for the session token.
struct AccessKeys: Hashable, Sendable {
  /// The public name of the key.
  var id: String
  var secret: String
  /// The token of temporary keys; nil for permanent ones.
  var sessionToken: String?

  /// The name of the key for messages: its beginning and its end.
  var shortID: String { id.count > 10 ? "\(id.prefix(2))…\(id.suffix(4))" : id }
}

extension AccessKeys: CustomStringConvertible, CustomReflectable {
  var description: String { "<secret>" }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
