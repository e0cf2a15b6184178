import CPOSIX

/// Finds the helper program: beside this program, then where it is installed, then in `PATH`.
enum HelperProgram {
  static func path(of name: String) -> String {
    guard !name.contains("/"), let folder = ownFolder else { return name }
    return ["\(folder)/\(name)", "\(folder)/../libexec/syncd/\(name)"].first { unsafe access($0, X_OK) == 0 } ?? name
  }

  /// The folder of this program.
  private static var ownFolder: String? {
    var buffer = [CChar](repeating: 0, count: 4_097)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
