import SyncKit
import Testing

@Suite("Placeholders of clouds") struct PlaceholderTests {
  @Test(
    "the name of a placeholder gives the file that it stands for",
    arguments: [
      (".notes.org.icloud", "notes.org", "iCloud Drive"), ("a/b/.x.icloud", "a/b/x", "iCloud Drive"),
      ("a/notes.org.nextcloud", "a/notes.org", "Nextcloud"), ("x.owncloud", "x", "ownCloud"),
    ])
  func names(placeholder: String, file: String, cloud: String) throws {
    let path = try #require(SyncPath(placeholder))
    let found = try #require(Placeholder(path))
    #expect(found.file == SyncPath(file) && found.cloud == cloud)
  }

  @Test(
    "other names are ordinary files",
    arguments: [
      "notes.org", "notes.icloud", ".icloud", ".nextcloud", "a/.owncloud", "nextcloud", "a.nextcloud/b.org", "icloud",
    ])
  func others(name: String) throws { #expect(Placeholder(try #require(SyncPath(name))) == nil) }

  @Test("a filter decides about the file, so that excluding the placeholders hides no file")
  func filter() throws {
    let filter = PathFilter(ignore: ["*.nextcloud", "private/"])
    #expect(filter.accepts(try #require(SyncPath("a.org.nextcloud"))))
    #expect(!filter.accepts(try #require(SyncPath("private/a.org.nextcloud"))))
    #expect(!PathFilter(ignore: ["a.org"]).accepts(try #require(SyncPath("a.org.nextcloud"))))
  }
}
