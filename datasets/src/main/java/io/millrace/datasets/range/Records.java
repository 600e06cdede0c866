package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Field;
import io.millrace.datasets.Fingerprint;
import io.millrace.datasets.text.Texts;
import java.util.Arrays;
import java.util.List;

/** Distinct records, numbered by first appearance. */
final class Records {
  private final List<Field> fields;
  private final Texts[] texts;
  private final int[][] values;
  private int size;
  private int[] table = new int[1 << 9];

  Records(List<Field> fields) {
    this.fields = fields;
    texts = new Texts[fields.size()];
    values = new int[fields.size()][1 << 8];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = fields.get(i).isText() ? new Texts() : null;
    }
  }

  int record(int[] row) {
    int mask = table.length - 1;
    int at = hash(row) & mask;
    while (table[at] != 0) {
      if (equal(table[at] - 1, row)) {
        return table[at] - 1;
      }
      at = at + 1 & mask;
    }
    for (int i = 0; i < values.length; i++) {
      if (size == values[i].length) {
        values[i] = Arrays.copyOf(values[i], size * 2);
      }
      values[i][size] = row[i];
    }
    table[at] = ++size;
    if (size * 2 > table.length) {
      rehash();
    }
    return size - 1;
  }

  private boolean equal(int record, int[] row) {
    for (int i = 0; i < values.length; i++) {
      if (values[i][record] != row[i]) {
        return false;
      }
    }
    return true;
  }

  private void rehash() {
    table = new int[table.length * 2];
    int mask = table.length - 1;
    int[] row = new int[values.length];
    for (int record = 0; record < size; record++) {
      for (int i = 0; i < row.length; i++) {
        row[i] = values[i][record];
      }
      int at = hash(row) & mask;
      while (table[at] != 0) {
        at = at + 1 & mask;
      }
      table[at] = record + 1;
    }
  }

  private static int hash(int[] row) {
    int h = Arrays.hashCode(row) * 0x9E3779B9;
    return h ^ h >>> 15;
  }

  void trim() {
    table = new int[0];
    for (int i = 0; i < values.length; i++) {
      values[i] = Arrays.copyOf(values[i], size);
      if (texts[i] != null) {
        texts[i].trim();
      }
    }
  }

  void addTo(Fingerprint fingerprint) {
    fingerprint.add(size);
    for (int field = 0; field < values.length; field++) {
      for (int value : values[field]) {
        fingerprint.add(value);
      }
      if (texts[field] != null) {
        fingerprint.add(texts[field].bytes(), 0, texts[field].bytes().length);
        for (int i = 0; i < texts[field].size(); i++) {
          fingerprint.add(texts[field].length(i));
        }
      }
    }
  }

  void values(int field, int[] from, int rows, int[] out) {
    int[] its = values[field];
    for (int i = 0; i < rows; i++) {
      int record = from[i];
      out[i] = record < 0 ? Dataset.UNKNOWN : its[record];
    }
  }

  List<Field> fields() {
    return fields;
  }

  int size() {
    return size;
  }

  Texts texts(int field) {
    return texts[field];
  }

  int[] values(int field) {
    return values[field];
  }

  long heapBytes() {
    long bytes = 4L * table.length;
    for (int i = 0; i < values.length; i++) {
      bytes += 4L * values[i].length + (texts[i] == null ? 0 : texts[i].heapBytes());
    }
    return bytes;
  }
}
