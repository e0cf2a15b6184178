import SettingsRegistry
import Testing

@Suite struct OutputTests {
  @Test("JSON keeps the order of members and escapes what it must")
  func json() {
    var json: JSON = ["b": [1, true, .null, "é\"\\\n\u{1}"], "a": ["empty": [], "none": [:]]]
    json["c"] = .number(1.5)
    json["a"] = nil
    #expect(
      json.description == """
        {
          "b": [
            1,
            true,
            null,
            "é\\"\\\\\\n\\u0001"
          ],
          "c": 1.5
        }
        """)
  }

  @Test("the template explains every setting")
  func template() throws {
    let template = WholeFile.layout(try Registry.stubs()).template
    #expect(
      template.hasPrefix(
        """
        [syncd]
        # The program itself.

        # Where the program keeps what it must remember.
        # A path.
        #state = "~/.local/state/syncd"

        # Look for changes at least this often.
        # A duration such as "5m".
        #interval = "5m"

        """))
    #expect(
      template.contains(
        """

        #[remotes.NAME.webdav]
        # With cloud = "webdav": A folder on a WebDAV server.

        # Address of the folder.
        # An address without a password. Required.
        #url = ""

        """))
    #expect(
      template.contains(
        """

        #[[alarm]]
        # What rings when.

        # What rings.
        # A string. Required.
        #bell = ""

        """))
    let schema = WholeFile.layout(try Registry.stubs()).schema
    let alarms = schema["properties"]?["alarm"]
    #expect(alarms?["type"] == "array" && alarms?["items"]?["required"] == ["bell"])
    #expect(alarms?["items"]?["additionalProperties"] == false && schema["required"] == ["store"])
    #expect(template.contains("\n# One of \"dropbox\", \"webdav\", \"none\".\n#cloud = \"dropbox\"\n"))
    #expect(template.contains("\n# \"org-files\".\n#backend = \"org-files\"\n"))
    #expect(template.contains("\n# With backend = \"org-files\": A folder of Org files.\n"))
    #expect(template.contains("\n# An integer, between 1 and 64.\n#requests = 8\n"))
  }

  @Test("the template is valid, both as printed and with every setting enabled")
  func templateIsValid() throws {
    let registry = try Registry.stubs()
    let template = WholeFile.layout(registry).template
    #expect(TOMLDocument(template.utf8, file: "f").mistakes == [])
    let inUse = template.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }.joined(separator: "\n")
    let document = TOMLDocument(inUse.utf8, file: "f")
    #expect(document.mistakes == [])
    #expect(document.root.entries.map(\.key.text) == ["syncd", "store", "remotes", "alarm"])
  }

  @Test("the schema matches the declaration of every setting")
  func schema() throws {
    let schema = WholeFile.layout(try Registry.stubs()).schema
    #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
    #expect(schema["required"] == ["store"])
    let root = try #require(schema["properties"])
    #expect(
      root["syncd"]?["properties"]?["conflicts"] == [
        "type": "string", "enum": ["merge", "keep-both", "prefer-local", "prefer-remote"],
        "description": "What is done when both sides changed.", "default": "merge",
      ])
    #expect(root["store"]?["required"] == nil)
    #expect(
      root["store"]?["allOf"] == [
        [
          "if": ["properties": ["backend": ["const": "org-files"]]],
          "then": ["required": ["path"]],
        ]
      ])
    let remote = try #require(root["remotes"]?["patternProperties"]?["^[A-Za-z0-9_-]+$"])
    #expect(remote["required"] == ["sync"])
    #expect(remote["additionalProperties"] == false)
    #expect(
      remote["allOf"]?.contains([
        "if": ["properties": ["cloud": ["const": "webdav"]], "required": ["cloud"]],
        "then": ["required": ["webdav"]],
      ]) == true)
    let webdav = try #require(remote["properties"]?["webdav"])
    #expect(webdav["required"] == ["url"])
    #expect(webdav["properties"]?["password"]?["writeOnly"] == true)
    #expect(webdav["properties"]?["requests"]?["maximum"] == 64)
  }

  @Test("plugins are listed by role")
  func listing() throws {
    #expect(
      try Registry.stubs().listing == """
        Cloud storages:
          dropbox      A Dropbox folder.
          webdav       A folder on a WebDAV server.

        Encryptions:
          age          Encryption by age.

        Stores:
          org-files    A folder of Org files.

        Sync backends:
          org-mobile   What MobileOrg reads and writes.
          plain-files  The files as they are.

        """)
  }

  @Test("a plugin is printed with its settings")
  func details() throws {
    let registry = try Registry.stubs()
    #expect(
      registry.details(of: "dropbox") == """
        dropbox (cloud)
        A Dropbox folder.

          app-key
            The app's key.
            A string. Required.

          refresh-token
            The token that signing in gave.
            A string or one of { command = […] }, { env = … }, { file = … }, { credential = … }, { keyring = … }. Required.

        """)
    #expect(registry.details(of: "webdav")?.contains("    An integer, between 1 and 64. Default: 8\n") == true)
    #expect(registry.details(of: "s3") == nil)
  }

  @Test("a plugin is printed as JSON")
  func detailsAsJSON() throws {
    #expect(
      try Registry.stubs().json(only: "org-mobile") == [
        [
          "id": "org-mobile", "role": "sync", "summary": "What MobileOrg reads and writes.",
          "settings": [
            [
              "key": "role", "help": "Which side of the exchange this is.", "type": "one of \"mobile\", \"desktop\"",
              "required": false, "secret": false, "default": "mobile", "choices": ["mobile", "desktop"],
            ],
            [
              "key": "inbox", "help": "Where captured entries go.", "type": "a path", "required": false,
              "secret": false,
              "default": .null,
            ],
          ],
        ]
      ])
  }
}

extension JSON {
  fileprivate func contains(_ element: JSON) -> Bool {
    if case .array(let elements) = self { elements.contains(element) } else { false }
  }
}
