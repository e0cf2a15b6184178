import SettingsRegistry
import Testing

@Suite struct WholeFileTests {
  static let example = """
    [syncd]                          # the static part: the program itself
    state = "~/.local/state/syncd"   # base, history, lock, socket
    interval = "5m"                  # rescan / poll at least this often in service mode
    quiet = "500ms"                  # wait until files have been still for this long …
    max-delay = "10s"                # … but no longer than this
    max-delete = "25%"               # a pass that would delete more than this holds its deletions
    history = "90d"                  # how long replaced and deleted versions are kept
    conflicts = "merge"              # merge | keep-both | prefer-local | prefer-remote
    log-level = "info"

    [store]                          # internal storage: exactly one
    backend = "org-files"            # org-files (a folder) | sqlite | native
    path = "~/org"
    include = ["**/*"]               # git-style globs; a .syncdignore in the store works too
    exclude = []

    [remotes.home]                   # any number; the name is the user's (letters, digits, - and _)
    sync = "plain-files"             # plain-files | org-mobile | git | rsync-ssh | bittorrent
    cloud = "webdav"                 # folder | webdav | dropbox | …   (sync backends that stage through one)
    encryption = "none"              # none | age | gpg | openssl (the org-mobile convention)

    [remotes.home.webdav]            # the dynamic part: one table per chosen module, named by its id
    url = "https://dav.example.org/org/"
    user = "ann"
    password = { command = ["pass", "show", "dav"] }
    """

  static let environment = SettingsEnvironment(
    folder: "/etc/syncd", variables: ["HOME": "/home/ann", "SITE": "dav.example.org"])

  func read(_ text: String) throws -> WholeFile {
    let registry = try Registry.stubs()
    return try SettingsFile(text.utf8, file: "settings.toml", environment: Self.environment)
      .read { WholeFile($0, registry) }
  }

  func mistakes(_ text: String) throws -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let error as SettingsError {
      return error.description.split(separator: "\n").map { String($0.dropFirst("settings.toml:".count)) }
    }
  }

  @Test("an array of tables is read in order, and each error names its table and place")
  func elements() throws {
    let minimal = "[store]\npath = \"~/org\"\n"
    #expect(try read(minimal).alarms.isEmpty)
    let file = try read(minimal + "[[alarm]]\nbell = \"a\"\n[[alarm]]\nbell = \"b\"\nvolume = 7\n")
    #expect(file.alarms.map(\.bell) == ["a", "b"] && file.alarms.map(\.volume) == [5, 7])
    for (text, expected) in [
      (
        "[[alarm]]\nvolume = 11\n[[alarm]]\nbell = \"b\"\nvolumes = 7\n",
        [
          "3:1: \"bell\" is missing in [[alarm]]", "4:10: the value must be between 0 and 10",
          "7:1: unknown setting \"volumes\" in [[alarm]] (did you mean \"volume\"?)",
        ]
      ),
      ("[alarm]\nbell = \"a\"\n", ["3:1: write [[alarm]]: it is a list of tables, not a table"]),
      ("[[alarms]]\nbell = \"a\"\n", ["3:3: unknown table \"alarms\" (did you mean \"alarm\"?)"]),
    ] {
      let found = try mistakes(minimal + text)
      #expect(found == expected)
    }
    let found = try mistakes("alarm = [1]\n" + minimal)
    #expect(found == ["1:10: [[alarm]] must be a table, not an integer"])
  }

  @Test("the example of the manual is valid")
  func manual() throws {
    let file = try read(Self.example)
    #expect(file.daemon.state.path == "/home/ann/.local/state/syncd")
    #expect(file.daemon.interval == .seconds(300))
    #expect(file.daemon.quiet == .milliseconds(500))
    #expect(file.daemon.maxDelete == .percent(25))
    #expect(file.daemon.history == .seconds(7_776_000))
    #expect(file.daemon.conflicts == .merge)
    #expect(file.store.include == ["**/*"])
    let store: OrgFilesStub = try #require(try file.storePlugin?.make())
    #expect(store.path == "/home/ann/org")
    let remote = try #require(file.remotes.first)
    #expect(remote.name == "home")
    #expect(remote.encryption == nil)
    let cloud: any StubCloud = try #require(try remote.cloud?.make())
    #expect(cloud.address == "https://dav.example.org/org/")
    #expect(remote.cloud?.context.table == "remotes.home.webdav")
    let sync: any Plugin = try #require(try remote.sync?.make())
    #expect(sync is PlainFilesStub)
  }

  @Test("a file with many mistakes is refused with all of them in file order")
  func manyMistakes() throws {
    let text = """
      intervall = "5m"
      [syncd]
      interval = 5m
      quiet = "fast"
      max_delete = "25%"
      conflicts = "merg"
      history = 90
      [store]
      path = 3
      include = ["*.org", 7]
      colour = "red"
      [remotes.home]
      sync = "plain-file"
      cloud = "webdaw"
      [remotes.home.webdav]
      ur = "https://dav.example.org"
      password = { comand = ["pass"] }
      requests = 100
      [remotes."a b"]
      sync = "org-mobile"
      [remotes."a b".org-mobile]
      role = "Desktop"
      [remotes.work.age]
      """
    #expect(
      try mistakes(text) == [
        #"1:1: unknown setting "intervall""#,
        #"3:12: this is neither a number nor a date or time; text needs quotes"#,
        #"4:9: expected a duration such as "5m""#,
        #"5:1: unknown setting "max_delete" in [syncd] (did you mean "max-delete"?)"#,
        #"6:13: expected one of "merge", "keep-both", "prefer-local", "prefer-remote" (did you mean "merge"?)"#,
        #"7:11: expected a duration such as "5m", not an integer"#,
        #"9:8: expected a path, not an integer"#,
        #"10:21: expected a pattern such as "*.org", not an integer"#,
        #"11:1: unknown setting "colour" in [store]"#,
        #"13:8: unknown sync "plain-file"; known: org-mobile, plain-files (did you mean "plain-files"?)"#,
        #"14:9: unknown cloud "webdaw"; known: dropbox, webdav (did you mean "webdav"?)"#,
        #"16:1: unknown setting "ur" in [remotes.home.webdav] (did you mean "url"?)"#,
        #"17:14: a secret is kept in one of command, env, file, credential, keyring, not "comand" (did you mean "command"?)"#,
        #"18:12: the value must be between 1 and 64"#,
        #"19:10: a name in [remotes] has only letters, digits, "-" and "_""#,
        #"22:8: expected one of "mobile", "desktop" (did you mean "desktop"?)"#,
        #"23:15: unknown table "age" in [remotes.work]"#,
      ])
  }

  @Test(
    "a missing setting or a wrong table is reported at its position",
    arguments: [
      ("", [#"1:1: "path" is missing in [store]"#]),
      ("[store]", [#"1:1: "path" is missing in [store]"#]),
      ("[store]\npath = ''", [#"2:8: expected a path"#]),
      (
        "store.path = 'x'\n[remotes.a]",
        [#"2:1: "sync" is missing in [remotes.a]"#]
      ),
      (
        "store.path = 'x'\n[remotes.a]\nsync = 'plain-files'\ncloud = 'webdav'",
        [#"2:1: "url" is missing in [remotes.a.webdav]"#]
      ),
      (
        "store.path = 'x'\n[remotes.a]\nsync = 'plain-files'\nencryption = 'age'\n[remotes.a.age]\nrecipients = []",
        ["4:14: encryption needs a cloud"]
      ),
      ("store = 1", ["1:9: [store] must be a table, not an integer"]),
      ("[[store]]", ["1:1: [store] must be a table, not an array"]),
      (
        "[store]\npath = 'x'\n[remotes]\na = 1",
        [
          "4:5: [remotes.a] must be a table, not an integer"
        ]
      ),
      ("[store]\nbackend = 'folder'\npath = 'x'", [#"2:11: unknown store "folder"; known: org-files"#]),
      (
        "[store]\nbackend = 'orgfiles'\npth = 'x'",
        [
          #"1:1: "path" is missing in [store]"#,
          #"2:11: unknown store "orgfiles"; known: org-files (did you mean "org-files"?)"#,
          #"3:1: unknown setting "pth" in [store] (did you mean "path"?)"#,
        ]
      ),
      ("[store]\npath = '${NOWHERE}/org'", [#"2:8: the environment has no variable "NOWHERE""#]),
      (
        "store.path = 'x'\n[remotes.a]\nsync = 'plain-files'\ncloud = 'webdav'\nwebdav = { url = 'https://x/', password = 'p' }",
        [#"5:10: "password" is of no use without "user""#]
      ),
      (
        "store.path = 'x'\n[remotes.a]\nsync = 'plain-files'\ncloud = 'webdav'\nwebdav.url = 'https://u:p@x/'",
        ["5:14: expected an address without a password"]
      ),
    ])
  func missing(text: String, expected: [String]) throws {
    #expect(try mistakes(text) == expected)
  }

  @Test("a damaged file is accepted or refused without a crash", arguments: [21])
  func damagedFile(seed: UInt64) throws {
    var random = RandomTOML(seed: seed)
    let example = Array(Self.example.utf8)
    let registry = try Registry.stubs()
    for _ in 0..<300 {
      let file = SettingsFile(random.damaged(example), file: "f", environment: Self.environment)
      do {
        _ = try file.read { WholeFile($0, registry) }
      } catch {
        #expect(!error.diagnostics.isEmpty)
      }
    }
  }

  @Test("`none` is accepted only where the role permits it")
  func none() throws {
    let remote = "store.path = 'x'\n[remotes.a]\nsync = 'plain-files'\n"
    #expect(try mistakes(remote + "cloud = 'none'\nencryption = 'none'") == [])
    #expect(
      try mistakes("store.path = 'x'\n[remotes.a]\nsync = 'none'") == [
        #"3:8: unknown sync "none"; known: org-mobile, plain-files"#
      ])
    #expect(
      try mistakes("[store]\nbackend = 'none'\npath = 'x'") == [#"2:11: unknown store "none"; known: org-files"#])
  }

  @Test("an unreadable file causes no errors about missing settings")
  func missingAfterWrongSyntax() throws {
    #expect(try mistakes("[store\npath = 'x'") == [#"1:7: expected "]""#])
  }

  @Test("values are printed with their origins, and secrets without their values")
  func effective() throws {
    let file = try read(Self.example)
    let remote = try #require(file.remotes.first?.cloud)
    #expect(
      EffectiveTable("remotes.home.webdav", remote.settings).text == """
        [remotes.home.webdav]
        url = "https://dav.example.org/org/"  # settings.toml:23:7
        user = "ann"                          # settings.toml:24:8
        password = "<secret>"                 # settings.toml:25:12
        #ca-file =                            # default
        requests = 8                          # default

        """)
    let plugin = try #require(file.storePlugin)
    #expect(
      EffectiveTable("store", file.store, plugin.settings).json.description.contains(
        """
              "key": "path",
              "value": "/home/ann/org",
              "origin": "settings.toml:13:8"
        """))
  }
}
