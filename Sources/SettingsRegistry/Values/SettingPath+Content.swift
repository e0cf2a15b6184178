extension SettingPath {
  /// Everything in the file, which has to be a plain one of at most `limit` bytes. Errors are sentences without a full stop.
  public func content(atMost limit: Int) throws -> [UInt8] {
    do throws(SmallFile.Refusal) { return try SmallFile(path: path, sizeLimit: limit).content() } catch {
      throw SettingsFileError(message: error.message)
    }
  }
}

/// Why a file that a setting names cannot be used.
public struct SettingsFileError: Error, CustomStringConvertible {
  let message: String
  public var description: String { message }
}
