package io.millrace.wire.message;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.message.OutputColumn.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Columns of a message, in their order.
 *
 * @param list the columns
 */
public record OutputColumns(List<OutputColumn> list) {
  /**
   * A column that a join adds to each block.
   *
   * @param name in SQL
   * @param kind whether it is a number or a text
   */
  public record AddedColumn(String name, JoinedColumn.Kind kind) {}

  /** Copies the list. */
  public OutputColumns {
    list = List.copyOf(list);
  }

  /**
   * All columns of the table of flows: those of the wire, those of the joins, and the log position.
   *
   * @param joined in the order of the blocks
   */
  public static OutputColumns all(List<AddedColumn> joined) {
    List<OutputColumn> all = new ArrayList<>();
    FlowColumn.ALL.forEach(column -> all.add(OutputColumn.of(column)));
    for (int i = 0; i < joined.size(); i++) {
      AddedColumn column = joined.get(i);
      all.add(
          new OutputColumn(
              column.name(),
              column.kind() == JoinedColumn.Kind.TEXT ? Kind.TEXT : Kind.NUMBER,
              null,
              i,
              "joined from a data set"));
    }
    all.add(OutputColumn.ofPlace(OutputColumn.LOG_PARTITION, Kind.NUMBER, "partition of the log"));
    all.add(OutputColumn.ofPlace(OutputColumn.LOG_OFFSET, Kind.LONG, "offset in the partition"));
    all.add(OutputColumn.ofPlace(OutputColumn.LOG_INDEX, Kind.NUMBER, "row within the log value"));
    return new OutputColumns(all);
  }

  /**
   * Selects columns by name, in that order; all of them for no names.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  public OutputColumns select(List<String> names) {
    if (names.isEmpty()) {
      return this;
    }
    Set<OutputColumn> chosen = new LinkedHashSet<>();
    for (String name : names) {
      chosen.add(
          list.stream()
              .filter(column -> column.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "columns: unknown column \""
                              + name
                              + "\", expected one of "
                              + String.join(
                                  ", ", list.stream().map(OutputColumn::name).toList()))));
    }
    return new OutputColumns(List.copyOf(chosen));
  }

  /** Index of the column of that name; −1 if there is none. */
  public int indexOf(String name) {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Number of columns. */
  public int size() {
    return list.size();
  }
}
