internal import CurlHTTP
internal import SSHConnection
internal import SyncKit

extension Git {
  /// The way to the repository.
  func transport() async throws(SyncError) -> any Transport {
    switch settings.url.place {
    case .http(let url): try await HTTPTransport(url, httpSettings(), settings.password == nil ? helper : nil)
    case .path: program
    case .ssh(let host, let user, let port, _): try await sshTransport(host, user, port)
    }
  }

  private var program: ProgramTransport {
    ProgramTransport(place: settings.url.place, ssh: ssh, variables: variables, patience: settings.timeout)
  }

  private func sshTransport(_ host: String, _ user: String?, _ port: Int?) async throws(SyncError) -> any Transport {
    var program = program
    guard settings.transport != .sshCommand else { return program }
    let wish = SSHDestination.Wish(
      host: host, user: user, port: port, identity: settings.identityFile?.path, knownHosts: settings.knownHosts?.path)
    let destination = SSHDestination(wish, context.environment.variables)
    let isAutomatic = settings.transport == .auto
    if isAutomatic {
      // A program that the settings name takes precedence.
      program.reason = settings.sshCommand == ["ssh"] ? destination.objection : "the settings choose it"
      if program.reason != nil { return program }
    }
    return SSHTransport(
      place: settings.url.place,
      session: KeptSession(to: destination, passphrase: try await passphrase(), patience: settings.timeout),
      program: isAutomatic ? program : nil)
  }

  private func passphrase() async throws(SyncError) -> String? {
    guard let secret = settings.passphrase else { return nil }
    do { return try await secret.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the `passphrase` of the key for \(settings.url.text): \(error)")
    }
  }

  /// The user's own ssh, which must never ask and never believe a host that is not known.
  private var ssh: [String] {
    var words =
      settings.sshCommand + [
        "-T", "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oClearAllForwardings=yes",
        "-oConnectTimeout=\(max(1, min(30, settings.timeout.components.seconds)))",
      ]
    if let file = settings.identityFile { words += ["-oIdentitiesOnly=yes", "-i", file.path] }
    if let file = settings.knownHosts {
      words += ["-oUserKnownHostsFile=\(file.path)", "-oGlobalKnownHostsFile=/dev/null"]
    }
    return words
  }

  /// The environment of programs: nothing of another repository, no prompts, and messages in English.
  var variables: [String: String] {
    context.environment.variables.filter { !$0.key.hasPrefix("GIT_") && $0.key != "SSH_ASKPASS" }
      .merging(["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "LC_ALL": "C", "LANGUAGE": ""]) { $1 }
  }

  private var helper: CredentialHelper {
    CredentialHelper(url: settings.url.text, user: settings.user, variables: variables)
  }
}

extension Place {
  /// Where the repository is on this machine.
  var folder: String? { if case .path(let path) = self { path } else { nil } }
}

extension Git {
  private func httpSettings() async throws(SyncError) -> HTTPSettings {
    // Some servers answer with plain files if the client does not look like git.
    var http = HTTPSettings(userAgent: "git/2.0 (syncd)")
    if let password = settings.password {
      do {
        // A token needs no user name, and servers want some name with it.
        http.credentials = .basic(
          user: settings.user.isEmpty ? "git" : settings.user, password: try await password.reveal())
      } catch {
        throw SyncError(.unauthorized, "cannot read the `password` of \(settings.url.text): \(error)")
      }
    }
    http.caFile = settings.caFile?.path
    http.proxy = settings.proxy.isEmpty ? .environment : settings.proxy == "none" ? .none : .url(settings.proxy)
    http.allowsPlainHTTP = settings.plainHttp
    http.connections = 2
    http.stallTimeout = settings.timeout
    http.connectTimeout = min(.seconds(15), settings.timeout)
    return http
  }
}
