package io.millrace.wire.message;

import io.millrace.wire.block.NewNames;
import java.util.ArrayList;
import java.util.List;

/**
 * Texts of a block's joined columns, which the block itself holds as numbers. Each distinct text of
 * a column is stored once, and each row has its number. Filled for one block after the other; not
 * thread-safe.
 */
public final class JoinedTexts {
  /** In place of a text's number: no text. */
  public static final int NONE = -1;

  private final List<Column> columns = new ArrayList<>();

  /** Texts of one column. */
  public static final class Column {
    private final NewNames names = new NewNames();
    private int[] slots = {};

    /** Removes the texts and allocates the given number of rows. */
    public void clear(int rows) {
      names.clear();
      if (slots.length < rows) {
        slots = new int[Math.max(rows, slots.length * 2)];
      }
    }

    /** The distinct texts; their ids have no meaning. */
    public NewNames names() {
      return names;
    }

    /** Number of each row's text in {@link #names}, or {@link #NONE}. */
    public int[] slots() {
      return slots;
    }
  }

  /** Texts of the block's joined column of that index. */
  public Column column(int joined) {
    while (columns.size() <= joined) {
      columns.add(new Column());
    }
    return columns.get(joined);
  }
}
