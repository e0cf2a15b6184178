import SyncDaemon

@main struct Main { static func main() { print(linkedPlugins.count) } }
