public protocol Plugin: Sendable {}
