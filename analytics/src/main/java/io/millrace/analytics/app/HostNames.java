package io.millrace.analytics.app;

import java.util.Locale;

final class HostNames {
  private static final int MAX_LENGTH = 253;

  private HostNames() {}

  /** Normalises a host name to lower case without port and final dot; null if it is not valid. */
  static String clean(String seen) {
    String name = seen.strip().toLowerCase(Locale.ROOT);
    int colon = name.lastIndexOf(':');
    if (colon > 0 && name.indexOf(':') == colon) {
      name = name.substring(0, colon);
    }
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1);
    }
    if (name.isEmpty() || name.length() > MAX_LENGTH) {
      return null;
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c <= ' ' || c >= 0x7F || "\"'\\/<>".indexOf(c) >= 0) {
        return null;
      }
    }
    return name;
  }
}
