package import OrgKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension OrgZone {
  /// The time zone of this process, as `TZ` or the system says.
  package static var local: OrgZone { local(name: "local") }

  /// The time zone of this process with its name in the IANA database, such as `Europe/Berlin`, for other programs. Without
  /// `TZ` and `/etc/localtime`, it is `UTC`; if neither has a name, it is `local`.
  package static var namedLocal: OrgZone {
    let folder = "/zoneinfo/"
    let variable = unsafe getenv("TZ").map { unsafe String(cString: $0) }
    let target = variable ?? linkTarget("/etc/localtime") ?? ""
    let name = target.firstRange(of: folder).map { String(target[$0.upperBound...]) } ?? variable ?? ""
    let zone = name.trimmingPrefix(":")
    return local(name: zone.isEmpty ? (target.isEmpty ? "UTC" : "local") : String(zone))
  }

  private static func linkTarget(_ path: String) -> String? {
    unsafe realpath(path, nil).map { target in
      defer { unsafe free(target) }
      return unsafe String(cString: target)
    }
  }

  private static func local(name: String) -> OrgZone {
    OrgZone(name: name) { seconds in
      var time = time_t(seconds)
      var parts = unsafe tm()
      guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
      return unsafe parts.tm_gmtoff
    }
  }
}

/// The process' time zone.
package enum ProcessZone {
  /// Makes a zone of the IANA database the one of this process; for programs that carry out recorded calls.
  package static func set(_ name: String) {
    unsafe setenv("TZ", name, 1)
    tzset()
  }
}
