package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.text.Texts;
import io.millrace.wire.block.NewNames;
import java.util.List;

abstract class RecordTable implements Dataset {
  private final String name;
  private final Records records;

  RecordTable(String name, Records records) {
    this.name = name;
    this.records = records;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final int records() {
    return records.size();
  }

  @Override
  public final int texts(int field) {
    Texts texts = records.texts(field);
    return texts == null ? 0 : texts.size();
  }

  @Override
  public final List<Field> fields() {
    return records.fields();
  }

  @Override
  public long heapBytes() {
    return records.heapBytes();
  }

  @Override
  public void close() {}

  abstract class RecordLookup implements Lookup {
    @Override
    public final void values(int field, int[] from, int rows, int[] out) {
      records.values(field, from, rows, out);
    }

    @Override
    public final void text(int field, int ordinal, long id, NewNames out) {
      Texts texts = records.texts(field);
      out.add(id, texts.bytes(), texts.start(ordinal), texts.length(ordinal));
    }
  }
}
