package io.millrace.store.rollup;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Grouping columns of a rollup.
 *
 * @param name name of the set, part of the names of its tables and views
 * @param columns stored columns of the table of flows; at least one
 */
public record RollupSet(String name, List<String> columns) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
  private static final int LONGEST_NAME = 30;
  private static final Pattern COLUMN = Pattern.compile("[a-z][a-z0-9_]{0,62}");

  /** Columns that cannot be grouped by: unique for each row, or summed. */
  private static final Set<String> NO_GROUPS =
      Set.of(
          "time",
          "bytes",
          "packets",
          "flow_start",
          "flow_end",
          "log_partition",
          "log_offset",
          "log_index");

  /** Default sets, for every table that has the columns. */
  public static final List<RollupSet> DEFAULTS =
      List.of(
          new RollupSet("as", List.of("src_as", "dst_as")),
          new RollupSet("domain", List.of("src_domain", "dst_domain")),
          new RollupSet("src", List.of("src_addr")),
          new RollupSet("dst", List.of("dst_addr")),
          new RollupSet("port", List.of("dst_port", "proto")),
          new RollupSet("interface", List.of("exporter", "in_if", "out_if")),
          new RollupSet(
              "member", List.of("src_member", "dst_member", "src_member_asn", "dst_member_asn")));

  static boolean isDefault(String name) {
    return DEFAULTS.stream().anyMatch(set -> set.name().equals(name));
  }

  /** Validates what does not depend on the table. */
  public RollupSet {
    if (!NAME.matcher(name).matches() || name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "rollups.sets: '%s': invalid name of a set, expected lower-case letters, digits and single _ between them, a letter first, at most %d"
              .formatted(name, LONGEST_NAME));
    }
    columns = List.copyOf(columns);
    if (columns.isEmpty()) {
      throw new IllegalArgumentException(
          "rollups.sets."
              + name
              + ": missing columns; an empty list disables a default set: "
              + DEFAULTS.stream().map(RollupSet::name).collect(Collectors.joining(", ")));
    }
    if (new HashSet<>(columns).size() < columns.size()) {
      throw new IllegalArgumentException("rollups.sets." + name + ": duplicate column");
    }
    for (String column : columns) {
      if (!COLUMN.matcher(column).matches() || NO_GROUPS.contains(column)) {
        throw new IllegalArgumentException(
            "rollups.sets." + name + ": '" + column + "' cannot be grouped by");
      }
    }
  }
}
