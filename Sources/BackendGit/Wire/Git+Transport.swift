internal import CurlHTTP
internal import Programs
internal import SSHConnection
internal import SyncKit

extension Git {
  /// The transport to the repository.
  func transport() async throws(SyncError) -> any Transport {
    switch settings.url.location {
    case .http(let url): try await HTTPTransport(url, client(), settings.password == nil ? helper : nil)
    case .path(let path): LocalTransport(path: path, variables: variables, timeout: settings.http.timeout)
    case .ssh(let host, let path):
      SSHTransport(
        client: try await SSHClient(
          to: host, settings.ssh, timeout: settings.http.timeout, environment: context.environment.variables),
        host: host, path: path)
    }
  }

  /// The environment for git, gpg and ssh-keygen.
  var variables: [String: String] {
    Program.unattended(context.environment.variables).merging(["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": ""]) { $1 }
  }

  private var helper: CredentialHelper {
    CredentialHelper(url: settings.url.text, user: settings.user, variables: variables)
  }
}

extension GitLocation {
  /// The repository's folder, if it is on this machine.
  var folder: String? { if case .path(let path) = self { path } else { nil } }
}

extension Git {
  private func client() async throws(SyncError) -> HTTPClient.Configuration {
    // Some servers only offer file downloads to clients that do not look like git.
    var client = HTTPClient.Configuration(userAgent: "git/2.0 (syncd)", settings.http)
    client.connections = 2
    guard let password = settings.password else { return client }
    do {
      // A token needs no user name, but servers require one.
      client.credentials = .basic(
        user: settings.user.isEmpty ? "git" : settings.user, password: try await password.reveal())
    } catch {
      throw SyncError(.unauthorized, "cannot read the `password` of \(settings.url.text): \(error)")
    }
    return client
  }
}
