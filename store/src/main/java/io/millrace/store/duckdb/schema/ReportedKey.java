package io.millrace.store.duckdb.schema;

import io.millrace.store.DeviceNames;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What rows are grouped by where groups are names that devices report: equal texts are one group,
 * however many interfaces they name. Groups are numbers, so a text counts by its hash of 64 bits,
 * and a speed by itself: a column beside the stored ones, by a join with the names that there are.
 */
public final class ReportedKey {
  /** Type of the column. */
  public static final String SQL_TYPE = "UBIGINT";

  private static final String PREFIX = "reported ";

  private ReportedKey() {}

  /** A reported column as one to group by, with the text of a group. */
  public static ViewColumn of(ViewColumn reported) {
    DeviceNames.Column column = ReportedColumn.of(reported);
    String text =
        "(SELECT max(v) FROM (SELECT %s AS v FROM %s GROUP BY d.exporter, d.number) WHERE hash(v) = {0})"
            .formatted(ReportedColumn.value(column), ReportedColumn.names(column));
    return new ViewColumn(
        reported.name(), List.of(PREFIX + column.name()), -1, column.isSpeed() ? "{0}" : text);
  }

  /** Whether a column that is grouped by is one of these. */
  public static boolean is(String grouped) {
    return grouped.startsWith(PREFIX);
  }

  /** The stored columns that are needed to group by these columns. */
  public static Set<String> stored(Collection<String> grouped) {
    Set<String> stored = new LinkedHashSet<>();
    for (String name : grouped) {
      if (is(name)) {
        stored.add("exporter");
        column(name).number().ifPresent(stored::add);
      } else {
        stored.add(name);
      }
    }
    return stored;
  }

  /**
   * Rows with the columns that are grouped by.
   *
   * @param rows a SELECT of {@link #stored} and others
   */
  public static String with(String rows, Collection<String> grouped) {
    List<String> keys = grouped.stream().filter(ReportedKey::is).toList();
    if (keys.isEmpty()) {
      return rows;
    }
    String list =
        keys.stream()
            .map(key -> "k%d.key AS %s".formatted(keys.indexOf(key), Catalog.quoted(key)))
            .collect(Collectors.joining(", "));
    String joins =
        keys.stream()
            .map(key -> join("k" + keys.indexOf(key), column(key)))
            .collect(Collectors.joining());
    return "SELECT f.*, %s FROM (%s) f%s".formatted(list, rows, joins);
  }

  private static String join(String alias, DeviceNames.Column column) {
    String value = ReportedColumn.value(column);
    String key =
        column.isSpeed()
            ? value
            : "CASE WHEN %1$s IS NOT NULL THEN hash(%1$s) END".formatted(value);
    return " LEFT JOIN (SELECT d.exporter, d.number, (%1$s)::%2$s AS key FROM %3$s GROUP BY d.exporter, d.number) %4$s ON %4$s.exporter = f.\"exporter\" AND %4$s.number = %5$s"
        .formatted(
            key,
            SQL_TYPE,
            ReportedColumn.names(column),
            alias,
            column.number().map(number -> "f." + Catalog.quoted(number)).orElse("0"));
  }

  private static DeviceNames.Column column(String key) {
    return ReportedColumn.find(key.substring(PREFIX.length()));
  }
}
