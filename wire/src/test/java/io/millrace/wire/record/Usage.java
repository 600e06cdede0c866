package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A stream with a field of every type, for tests. */
final class Usage {
  static final RecordSchema SCHEMA =
      new RecordSchema(
          "usage",
          List.of(
              Field.time("time"),
              Field.text("subscriber", 1, 32),
              Field.number("used", 0, 1_000_000_000_000L),
              Field.number("balance", Long.MIN_VALUE, Long.MAX_VALUE).orNull(),
              Field.fraction("share").orElse(0.5),
              Field.flag("granted").orElse(false),
              Field.text("plan", 0, 100).orElse("basic"),
              Field.time("until").in(TimeUnit.SECONDS).orNull(),
              Field.fraction("weight", -10, 10).orNull(),
              Field.text("note", 0, 1_000).orNull()),
          "time",
          "subscriber");

  private Usage() {}

  static TableBlock decode(RecordEncoding encoding, byte[] bytes, RecordErrors errors) {
    TableBlock block = new TableBlock(SCHEMA.columns(), 0);
    var unused =
        new RecordDecoder(SCHEMA)
            .decode(
                encoding, bytes, 0, bytes.length, RecordAttributes.NONE, block, errors, 1 << 20);
    return block;
  }

  static TableBlock decodeJson(String text, RecordErrors errors) {
    return decode(RecordEncoding.JSON, text.getBytes(StandardCharsets.UTF_8), errors);
  }

  /** The rows as readable texts. */
  static List<List<String>> rows(TableBlock block) {
    List<List<String>> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      List<String> values = new ArrayList<>();
      for (int column = 0; column < block.schema().size(); column++) {
        values.add(block.text(row, column));
      }
      rows.add(values);
    }
    return rows;
  }
}
