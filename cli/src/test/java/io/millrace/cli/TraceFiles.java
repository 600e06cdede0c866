package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordDecoder;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Files of two minutes of a generated trace, read as records of their streams. */
public final class TraceFiles {
  private TraceFiles() {}

  /** Checks that each line is a record of its file's stream, and returns the number of lines. */
  public static int records(Path directory, RecordSchema... streams) throws IOException {
    int records = 0;
    for (RecordSchema schema : streams) {
      for (String minute : List.of("0000", "0001")) {
        List<String> lines =
            Files.readAllLines(directory.resolve(schema.name() + "-" + minute + ".ndjson"));
        lines.forEach(line -> isRecord(schema, line));
        records += lines.size();
      }
    }
    return records;
  }

  private static void isRecord(RecordSchema schema, String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    TableBlock block = new TableBlock(schema.columns(), 1);
    RecordErrors errors = new RecordErrors(1);
    int read =
        new RecordDecoder(schema)
            .decode(
                RecordEncoding.JSON,
                bytes,
                0,
                bytes.length,
                RecordAttributes.NONE,
                block,
                errors,
                1 << 20);
    assertThat(errors.isEmpty()).as(line).isTrue();
    assertThat(read).isEqualTo(1);
  }
}
