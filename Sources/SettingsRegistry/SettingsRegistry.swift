public struct PluginRole: Hashable, Sendable {
  public let word: String
  public init(_ word: String) { self.word = word }
}
public protocol Plugin: Sendable {
  static var id: String { get }
  static var role: PluginRole { get }
}
