package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotTimesTest {
  private static final Pattern TIME =
      Pattern.compile("(\"(?:timestamp-ms|last-updated-ms)\"\\s*:\\s*)(\\d+)");
  private static final long HOUR_MILLIS = 3_600_000;

  @TempDir Path directory;

  @Test
  void commitsGoOnAfterTheClockWasSetBack() throws IOException {
    Table ahead = open();
    append(ahead, "a");
    append(ahead, "b");
    Path newest = directory.resolve("metadata/v3.metadata.json");
    Files.writeString(
        newest,
        TIME.matcher(Files.readString(newest))
            .replaceAll(time -> time.group(1) + (Long.parseLong(time.group(2)) + HOUR_MILLIS)));

    Table table = open();
    append(table, "c");
    append(table, "d");
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(2).commit();

    assertThat(open().snapshots())
        .hasSize(2)
        .extracting(Snapshot::timestampMillis)
        .allMatch(millis -> millis <= System.currentTimeMillis());
    assertThat(open().currentSnapshot().summary()).containsEntry("total-data-files", "4");
  }

  private Table open() {
    return TableDirectory.open(
        TableStorage.local(),
        directory,
        "t",
        new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
        PartitionSpec.unpartitioned(),
        SortOrder.unsorted(),
        Map.of("format-version", "2"),
        Set.of());
  }

  private void append(Table table, String name) {
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(table.spec())
                .withPath(
                    TableStorage.local().location(directory.resolve("data/" + name + ".parquet")))
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .build())
        .commit();
  }
}
