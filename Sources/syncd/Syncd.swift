import CommandLine

@main struct Syncd {
  static func main() async { await Program.main(linkedPlugins) }
}
