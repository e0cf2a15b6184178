import SyncDaemon

@main struct Main {
  static func main() { print(linkedPlugins.map { $0.id }) }
}
