package io.millrace.wire.message;

import io.millrace.wire.block.NewNames;
import java.util.ArrayList;
import java.util.List;

/**
 * The texts of a block's joined columns, which the block itself holds as numbers. Each different
 * text of a column stands once, and each row says which is its own. Filled for one block after the
 * other; not thread-safe.
 */
public final class JoinedTexts {
  /** In place of a text's number: the row has none. */
  public static final int NONE = -1;

  private final List<Column> columns = new ArrayList<>();

  /** Texts of one column. */
  public static final class Column {
    private final NewNames names = new NewNames();
    private int[] slots = {};

    /** Forgets the texts, and has room for so many rows. */
    public void clear(int rows) {
      names.clear();
      if (slots.length < rows) {
        slots = new int[Math.max(rows, slots.length * 2)];
      }
    }

    /** The different texts; the ids mean nothing. */
    public NewNames names() {
      return names;
    }

    /** For each row the number of its text among {@link #names}, or {@link #NONE}. */
    public int[] slots() {
      return slots;
    }
  }

  /** The texts of the block's joined column of that index. */
  public Column column(int joined) {
    while (columns.size() <= joined) {
      columns.add(new Column());
    }
    return columns.get(joined);
  }
}
