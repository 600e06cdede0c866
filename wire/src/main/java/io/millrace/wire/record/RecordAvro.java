package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;

/** Decodes data of the published schema directly, field by field. */
final class RecordAvro implements AvroData {
  private static final VarHandle DOUBLE =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  private final RecordRow row;
  private final Schema schema;
  private final long fingerprint;
  private final boolean[] isNullable;
  private RecordErrors errors;

  RecordAvro(RecordSchema records, RecordRow row) {
    this.row = row;
    schema = records.avroSchema();
    fingerprint = AvroSchemas.fingerprint(schema);
    isNullable = new boolean[row.size()];
    for (int field = 0; field < isNullable.length; field++) {
      isNullable[field] = row.isNullable(field);
    }
  }

  void wrap(RecordAttributes attributes, TableBlock into, RecordErrors wrong) {
    row.wrap(into, attributes);
    errors = wrong;
  }

  void finish() {
    row.finish();
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public int take(byte[] source, int offset, int end, int index) {
    VarintInput in = new VarintInput(source, offset, end);
    row.begin();
    int wrong = -1;
    for (int field = 0; field < row.size(); field++) {
      if (isNullable[field]) {
        long branch = in.next();
        if (branch < 0 || branch > 1) {
          return AvroReader.BROKEN;
        }
        if (branch == 0) {
          continue;
        }
      }
      boolean isRight =
          switch (row.types[field]) {
            case NUMBER, TIME -> row.put(field, in.next());
            case FRACTION -> takeFraction(field, source, in);
            case TEXT -> takeText(field, source, in);
            case FLAG -> takeFlag(field, source, in);
            case CHOICE -> row.put(field, in.next() + 1);
          };
      if (in.isBroken()) {
        return AvroReader.BROKEN;
      }
      wrong = isRight || wrong >= 0 ? wrong : field;
    }
    if (wrong >= 0) {
      errors.add(index, row.name(wrong), row.expected(wrong));
    } else {
      addOrReport(index);
    }
    return in.at();
  }

  private void addOrReport(int index) {
    int missing = row.missing();
    if (missing >= 0) {
      errors.add(index, row.name(missing), row.missing(missing));
    } else {
      row.add();
    }
  }

  private boolean takeFraction(int field, byte[] source, VarintInput in) {
    int at = in.take(Double.BYTES);
    return !in.isBroken() && row.put(field, (double) DOUBLE.get(source, at));
  }

  private boolean takeText(int field, byte[] source, VarintInput in) {
    long length = in.next();
    int at = in.take(length);
    return !in.isBroken() && row.put(field, source, at, (int) length);
  }

  private boolean takeFlag(int field, byte[] source, VarintInput in) {
    int at = in.take(1);
    return !in.isBroken() && (source[at] & ~1) == 0 && row.put(field, source[at]);
  }

  @Override
  public void add(GenericRecord record, int index) {
    row.begin();
    for (int field = 0; field < row.size(); field++) {
      Object value = record.get(row.name(field));
      if (value != null && !put(field, value)) {
        errors.add(index, row.name(field), row.expected(field));
        return;
      }
    }
    addOrReport(index);
  }

  private boolean put(int field, Object value) {
    return switch (row.types[field]) {
      case NUMBER, TIME -> row.put(field, (Long) value);
      case FRACTION -> row.put(field, (Double) value);
      case FLAG -> row.put(field, (Boolean) value ? 1 : 0);
      case CHOICE -> {
        byte[] word = value.toString().getBytes(StandardCharsets.US_ASCII);
        yield row.putChoice(field, word, 0, word.length);
      }
      case TEXT -> {
        if (value instanceof Utf8 utf8) {
          yield row.put(field, utf8.getBytes().clone(), 0, utf8.getByteLength());
        }
        byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
        yield row.put(field, bytes, 0, bytes.length);
      }
    };
  }
}
