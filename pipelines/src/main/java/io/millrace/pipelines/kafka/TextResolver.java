package io.millrace.pipelines.kafka;

import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.TextIds;
import io.millrace.pipelines.datasets.SharedDatasets;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.NewNames;
import io.millrace.wire.message.JoinedTexts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Texts of joined columns, read from the data sets' files: a block has a text only at its first
 * use, and caching all texts would take too much memory. Each distinct text of a block is read
 * once. Not thread-safe.
 */
final class TextResolver implements AutoCloseable {
  private final List<DatasetConfig> configs;
  private final List<DatasetHandle> handles;
  private final List<DatasetHandle.Reader> readers = new ArrayList<>();
  private final boolean[] wanted;

  /** Hash table by text ordinal: index of the text plus one; 0 for an empty slot. */
  private int[] table = {};

  private int[] ordinals = {};

  /** {@code wanted} says for each joined column whether its texts are needed. */
  TextResolver(List<DatasetConfig> configs, boolean[] wanted) throws IOException {
    this.configs = configs;
    this.wanted = wanted;
    handles = SharedDatasets.acquire(configs);
    for (DatasetHandle handle : handles) {
      DatasetHandle.Reader reader = handle.newReader();
      reader.refresh();
      readers.add(reader);
    }
  }

  void resolve(FlowBlock block, JoinedTexts texts) {
    int joined = 0;
    for (int set = 0; set < readers.size(); set++) {
      List<Field> fields = readers.get(set).dataset().fields();
      for (int on = configs.get(set).join().size(); on > 0; on--) {
        for (int field = 0; field < fields.size(); field++, joined++) {
          if (wanted[joined] && fields.get(field).isText()) {
            JoinedColumn column = block.joined().get(joined);
            Lookup lookup = lookup(readers.get(set), field, column);
            fill(texts.column(joined), column.values(), block.rows(), lookup, field);
          }
        }
      }
    }
  }

  /**
   * Opens the look-up of the block's content, which may have changed since the last block; the
   * joiner upstream has it open.
   */
  private static Lookup lookup(DatasetHandle.Reader reader, int field, JoinedColumn column) {
    if (!reader.goTo(content -> TextIds.base(content, field) == column.base())) {
      throw new IllegalStateException(
          "data set "
              + reader.dataset().name()
              + " was changed more than once while one block was in transit");
    }
    return reader.lookup();
  }

  private void fill(JoinedTexts.Column to, int[] values, int rows, Lookup lookup, int field) {
    to.clear(rows);
    int[] slots = to.slots();
    NewNames names = to.names();
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(rows) + 1;
    clear(1 << bits, rows);
    int mask = (1 << bits) - 1;
    for (int row = 0; row < rows; row++) {
      int ordinal = values[row];
      if (ordinal < 0) {
        slots[row] = JoinedTexts.NONE;
        continue;
      }
      int at = (ordinal * 0x9E37_79B9) >>> (Integer.SIZE - bits);
      while (table[at] != 0 && ordinals[table[at] - 1] != ordinal) {
        at = (at + 1) & mask;
      }
      if (table[at] == 0) {
        ordinals[names.size()] = ordinal;
        lookup.text(field, ordinal, ordinal, names);
        table[at] = names.size();
      }
      slots[row] = table[at] - 1;
    }
  }

  private void clear(int size, int rows) {
    if (table.length < size) {
      table = new int[size];
      ordinals = new int[size];
    } else {
      Arrays.fill(table, 0, size, 0);
    }
    if (ordinals.length < rows) {
      ordinals = new int[rows];
    }
  }

  @Override
  public void close() {
    readers.forEach(DatasetHandle.Reader::close);
    readers.clear();
    SharedDatasets.release(configs, handles);
  }
}
