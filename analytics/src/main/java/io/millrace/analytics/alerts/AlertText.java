package io.millrace.analytics.alerts;

import io.millrace.analytics.hitters.HitterKind;
import io.millrace.wire.block.TableBlock;
import java.io.Serializable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Text of an alert: a sentence, and the link to the key's traffic in the console.
 *
 * @param console address of the console, with a slash at its end; null if unknown
 */
public record AlertText(String console) implements Serializable {
  private static final int AROUND = 5;

  private static final int MAX_COLUMNS = 3; // maximum that Explore can group by
  private static final int WHOLE_ADDRESS = 32;
  private static final String NONE = "-"; // text of a null value in a key
  private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E"};

  String sentence(AlertRows.Key key) {
    String title = AlertKind.of(key.kind()).map(AlertKind::title).orElse(key.kind());
    StringBuilder text = new StringBuilder("New ");
    text.append(title).append(": ").append(key.by()).append(' ').append(key.key());
    text.append(", ").append(amount(key.value(), key.measure()));
    text.append(" in ").append(seconds(key.until() + 1 - key.time()));
    if (!Double.isNaN(key.share())) {
      text.append(" (");
      text.append(String.format(Locale.ROOT, "%.1f", 100 * key.share()));
      text.append("% of all)");
    }
    if (key.baseline() != TableBlock.NULL) {
      text.append(", ").append(amount(key.baseline(), key.measure()));
      text.append(key.kind().equals(AlertKind.TREND.label()) ? " expected" : " before");
    }
    return text.append(", from ").append(instant(key.time())).toString();
  }

  /** Null if the console's address is unknown. */
  String link(AlertRows.Key key) {
    return console == null
        ? null
        : console
            + page(key.by(), key.key(), key.time(), key.until(), key.until() + 1 - key.time());
  }

  /**
   * Page of the console with the traffic of a key: Explore, or the list of alerts if the key is not
   * of flows or has no filter.
   *
   * @param windowMicros length of the windows that reported it
   */
  public static String page(String by, String key, long from, long until, long windowMicros) {
    long around = AROUND * windowMicros;
    String time =
        "from=" + encoded(instant(from - around)) + "&to=" + encoded(instant(until + 1 + around));
    return filter(by, key)
        .map(
            filter ->
                "#explore?by=" + encoded(columns(by)) + "&filter=" + encoded(filter) + "&" + time)
        .orElse("#alerts?" + time);
  }

  private static String columns(String by) {
    return String.join(
        ",",
        HitterKind.parse(by).parts().stream()
            .map(HitterKind.Part::column)
            .distinct()
            .limit(MAX_COLUMNS)
            .toList());
  }

  static Optional<String> filter(String by, String key) {
    if (by.equals(AlertRows.KEYWORD)) {
      return Optional.empty();
    }
    List<HitterKind.Part> parts = HitterKind.parse(by).parts();
    String[] values = parts.size() == 1 ? new String[] {key} : key.split(" ", -1);
    if (values.length != parts.size()) {
      return Optional.empty(); // such keys contain blanks
    }
    List<String> conditions = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      if (parts.get(i).column().startsWith("(")) {
        return Optional.empty(); // Explore cannot group by an expression
      }
      conditions.add(condition(parts.get(i), values[i]));
    }
    return Optional.of(String.join(" AND ", conditions));
  }

  private static String condition(HitterKind.Part part, String value) {
    if (value.equals(NONE)) {
      return part.column() + " IS NULL";
    }
    if (part.prefix() != WHOLE_ADDRESS) {
      return part.column() + " IN " + value;
    }
    boolean isNumber = value.matches("[0-9]{1,18}");
    return part.column() + " = " + (isNumber ? value : "'" + value.replace("'", "''") + "'");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private static String seconds(long micros) {
    long seconds = Math.round(micros / 1e6);
    return seconds > 0 && seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
  }

  private static String amount(long value, String measure) {
    double shown = value;
    int prefix = 0;
    while (Math.abs(shown) >= 999.5 && prefix < PREFIXES.length - 1) {
      shown /= 1_000;
      prefix++;
    }
    String number = prefix == 0 ? Long.toString(value) : String.format(Locale.ROOT, "%.3g", shown);
    String unit = measure.equals("bytes") ? "B" : prefix == 0 ? measure : " " + measure;
    return number + " " + PREFIXES[prefix] + unit;
  }
}
