import Testing

@testable import CommandLine

@Suite("Exposed files")
struct ExposedFilesTests {
  @Test(arguments: [("s.toml", "."), ("/s.toml", "/"), ("a/s.toml", "a"), ("/a/b/s.toml", "/a/b")])
  func `the folder of a settings file is found for relative and absolute paths`(path: String, folder: String) {
    #expect(ExposedFiles.folder(of: path) == folder)
  }
}
