import Foundation

extension Command {
  /// Returns the path of a program that was built with the tests; its name if there is none.
  public static func built(_ name: String) -> String {
    var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: name).path
      var isFolder: ObjCBool = false
      if unsafe FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue {
        return candidate
      }
    }
    return name
  }
}
