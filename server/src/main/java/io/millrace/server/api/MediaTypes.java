package io.millrace.server.api;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Chooses a media type by the header {@code Accept} (RFC 9110, section 12.5.1). */
final class MediaTypes {
  static final String JSON = "application/json";
  static final String CSV = "text/csv";
  static final String ARROW = "application/vnd.apache.arrow.stream";
  static final String PARQUET = "application/vnd.apache.parquet";

  private MediaTypes() {}

  static String bare(String type) {
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /**
   * Chooses a type. An empty or null {@code accept} accepts any; the first of {@code offered} is
   * the default.
   */
  static Optional<String> choose(String accept, List<String> offered) {
    if (accept == null || accept.isBlank()) {
      return Optional.of(offered.get(0));
    }
    String best = null;
    double max = 0;
    for (String type : offered) {
      double quality = quality(accept, type);
      if (quality > max) {
        max = quality;
        best = type;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Weight of a type, 0 to 1, by the most specific matching range. */
  private static double quality(String accept, String type) {
    double quality = 0;
    int specific = 0;
    for (String item : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = item.split(";", -1);
      String range = parts[0].strip();
      int fits =
          range.equals(type)
              ? 3
              : range.equals(type.substring(0, type.indexOf('/')) + "/*")
                  ? 2
                  : range.equals("*/*") ? 1 : 0;
      if (fits > specific) {
        specific = fits;
        quality = weight(parts);
      }
    }
    return quality;
  }

  private static double weight(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String part = parts[i].strip();
      if (part.startsWith("q=")) {
        try {
          return Double.parseDouble(part.substring(2));
        } catch (NumberFormatException e) {
          return 0; // invalid ranges are not accepted
        }
      }
    }
    return 1;
  }
}
