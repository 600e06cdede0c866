package io.millrace.store;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Columns of a flows table: {@link FlowColumn}, then those added by data sets, then the position in
 * the log. Names are case-insensitive, as in SQL.
 *
 * @param joined columns added by data sets, in table order
 */
public record FlowSchema(List<AddedColumn> joined) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  private static final Set<String> TAKEN = Set.of("log_partition", "log_offset", "log_index");

  /**
   * A column added by a data set.
   *
   * @param name column name in SQL
   * @param kind number, or text by its id
   */
  public record AddedColumn(String name, JoinedColumn.Kind kind) {
    /** Validates the name. */
    public AddedColumn {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "column name '%s': expected lower-case letters, digits and _, 63 at most"
                .formatted(name));
      }
    }
  }

  /** Copies the list and rejects duplicate names. */
  public FlowSchema {
    joined = List.copyOf(joined);
    Set<String> names = new HashSet<>(TAKEN);
    FlowColumn.ALL.forEach(column -> names.add(column.columnName()));
    for (AddedColumn column : joined) {
      if (!names.add(column.name().toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException("duplicate column " + column.name() + " in flows");
      }
    }
  }
}
