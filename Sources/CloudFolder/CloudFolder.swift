public import SyncKit

public let plugins: [any Plugin.Type] = []
