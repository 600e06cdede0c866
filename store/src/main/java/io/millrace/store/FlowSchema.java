package io.millrace.store;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The columns of a flows table: all of {@link FlowColumn}, then those that data sets add, then the
 * place in the log. Column names are compared without regard to case, as SQL does.
 *
 * @param joined the columns that data sets add, in table order
 */
public record FlowSchema(List<AddedColumn> joined) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");
  private static final Set<String> TAKEN = Set.of("log_partition", "log_offset", "log_index");

  /**
   * A column that a data set adds.
   *
   * @param name column name in SQL
   * @param kind number, or text by its id
   */
  public record AddedColumn(String name, JoinedColumn.Kind kind) {
    /** Checks the name. */
    public AddedColumn {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "column name '%s': lower-case letters, digits and _ (63 at most) are allowed"
                .formatted(name));
      }
    }
  }

  /** Copies the list and refuses names that stand twice. */
  public FlowSchema {
    joined = List.copyOf(joined);
    Set<String> names = new HashSet<>(TAKEN);
    FlowColumn.ALL.forEach(column -> names.add(column.columnName()));
    for (AddedColumn column : joined) {
      if (!names.add(column.name().toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException("column " + column.name() + " stands twice in flows");
      }
    }
  }
}
