import SyncDaemon

@main struct Syncd {
  static func main() async { await Program.main(linkedPlugins) }
}
