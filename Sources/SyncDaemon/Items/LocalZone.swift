package import OrgKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension OrgZone {
  /// The time zone of this process, as `TZ` or the system says.
  package static var local: OrgZone {
    OrgZone(name: "local") { seconds in
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
