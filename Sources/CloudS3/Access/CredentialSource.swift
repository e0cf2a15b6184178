internal import SettingsRegistry
internal import SyncKit

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Finds the keys of the account: in the settings, the environment, or the files of AWS's tools, whichever is first complete.
struct CredentialSource: Sendable {
  let settings: S3.Settings
  /// The environment variables.
  let variables: [String: String]

  /// What the profile adds to the settings.
  struct Profile: Sendable {
    var name: String
    var credentials: [String: String]
    var config: [String: String]

    subscript(key: String) -> String? { credentials[key] ?? config[key] }
  }

  /// Returns the keys, and when they expire, if that is known.
  func keys() async throws(SyncError) -> (keys: AccessKeys, expiration: Timestamp?) {
    if let keys = try await keysInSettings() { return (keys, nil) }
    if let keys = try pair(
      variables["AWS_ACCESS_KEY_ID"], variables["AWS_SECRET_ACCESS_KEY"], variables["AWS_SESSION_TOKEN"],
      in: "the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)")
    {
      return (keys, nil)
    }
    return try await keys(of: profile())
  }

  /// The profile in the files of AWS's tools.
  func profile() throws(SyncError) -> Profile {
    let home = variables["HOME"] ?? "/"
    let chosen = settings.profile.isEmpty ? variables["AWS_PROFILE"] ?? "" : settings.profile
    let name = chosen.isEmpty ? "default" : chosen
    let credentials = SharedFile(path: variables["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(home)/.aws/credentials")
    let config = SharedFile(path: variables["AWS_CONFIG_FILE"] ?? "\(home)/.aws/config")
    let profile = Profile(
      name: name, credentials: credentials?[name] ?? [:],
      config: config?["profile \(name)"] ?? (name == "default" ? config?[name] : nil) ?? [:])
    guard settings.profile.isEmpty || !(profile.credentials.isEmpty && profile.config.isEmpty) else {
      throw SyncError(
        .unauthorized, "profile \(name) not found in ~/.aws/credentials or ~/.aws/config; check `profile`")
    }
    return profile
  }

  /// The region of the bucket, unless the settings have it.
  func region() -> String {
    if !settings.region.isEmpty { return settings.region }
    let profile = try? profile()
    return variables["AWS_REGION"] ?? variables["AWS_DEFAULT_REGION"] ?? profile?["region"] ?? "us-east-1"
  }

  private func keysInSettings() async throws(SyncError) -> AccessKeys? {
    guard let id = settings.accessKey, let secret = settings.secretKey else { return nil }
    var keys = AccessKeys(id: try await reveal(id, "access-key"), secret: try await reveal(secret, "secret-key"))
    if let token = settings.sessionToken { keys.sessionToken = try await reveal(token, "session-token") }
    return keys
  }

  private func reveal(_ secret: Secret, _ name: String) async throws(SyncError) -> String {
    do { return try await secret.reveal() } catch {
      throw SyncError(.unauthorized, "the `\(name)` of the bucket \(settings.bucket) cannot be read: \(error)")
    }
  }

  private func pair(
    _ id: String?, _ secret: String?, _ token: String?, in place: String
  ) throws(SyncError) -> AccessKeys? {
    guard id != nil || secret != nil else { return nil }
    guard let id, let secret, !id.isEmpty, !secret.isEmpty else {
      throw SyncError(.unauthorized, "\(place) has only one half of a pair of keys; set both or neither")
    }
    return AccessKeys(id: id, secret: secret, sessionToken: token)
  }

  private func keys(of profile: Profile) async throws(SyncError) -> (keys: AccessKeys, expiration: Timestamp?) {
    for part in [profile.credentials, profile.config] {
      let place = "the profile \(profile.name)"
      if let keys = try pair(
        part["aws_access_key_id"], part["aws_secret_access_key"], part["aws_session_token"], in: place)
      {
        return (keys, nil)
      }
    }
    if let command = profile["credential_process"] { return try await keys(fromProcess: command, profile.name) }
    guard let reason = ["sso_session", "sso_start_url", "role_arn"].first(where: { profile[$0] != nil }) else {
      throw SyncError(
        .unauthorized,
        "no access key for the bucket \(settings.bucket): set `access-key` and `secret-key`, or `profile`")
    }
    throw SyncError(
      .unauthorized,
      "the profile \(profile.name) uses \(reason), which syncd does not; add `credential_process = aws configure "
        + "export-credentials --profile \(profile.name) --format process` to another profile")
  }

  // MARK: A program that prints keys

  private struct Output: Decodable {
    var version: Int
    var accessKeyId: String
    var secretAccessKey: String
    var sessionToken: String?
    var expiration: String?

    private enum CodingKeys: String, CodingKey {
      case version = "Version"
      case accessKeyId = "AccessKeyId"
      case secretAccessKey = "SecretAccessKey"
      case sessionToken = "SessionToken"
      case expiration = "Expiration"
    }
  }

  private func keys(
    fromProcess command: String, _ profile: String
  ) async throws(SyncError) -> (keys: AccessKeys, expiration: Timestamp?) {
    let place = "`credential_process` of the profile \(profile)"
    let output: [UInt8]
    do { output = try await BoundedCommand(["/bin/sh", "-c", command], variables: variables).output() } catch {
      throw SyncError(.unauthorized, "\(place) failed: \(error)")
    }
    guard let value = try? JSONDecoder().decode(Output.self, from: Data(output)), value.version == 1 else {
      throw SyncError(
        .unauthorized, "\(place) did not print JSON with `Version` 1, `AccessKeyId` and `SecretAccessKey`")
    }
    let keys = AccessKeys(id: value.accessKeyId, secret: value.secretAccessKey, sessionToken: value.sessionToken)
    return (keys, value.expiration.flatMap(ISOTime.time))
  }
}
