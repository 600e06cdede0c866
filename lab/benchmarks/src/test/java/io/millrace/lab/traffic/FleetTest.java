package io.millrace.lab.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.ingest.client.RecordFile;
import io.millrace.traffic.fleet.Fleet;
import io.millrace.traffic.fleet.FleetConfig;
import io.millrace.traffic.fleet.FleetTruth;
import io.millrace.traffic.fleet.RecordFileWriter;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordEncoding;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FleetTest {
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");
  private static final int DAY_MINUTES = 1_440;

  private static List<String> records(FleetConfig config) {
    List<String> records = new ArrayList<>();
    Fleet fleet = new Fleet(config);
    TableBlock block = GatewayRecords.block(100);
    while (fleet.fill(block, 100)) {
      addTo(records, block);
      block.clear();
    }
    return records;
  }

  private static void addTo(List<String> records, TableBlock block) {
    for (int row = 0; row < block.rows(); row++) {
      records.add(
          block.texts(GatewayRecords.ID).get(row)
              + " "
              + block.longs(GatewayRecords.TIME)[row]
              + " "
              + block.longs(GatewayRecords.TX)[row]
              + " "
              + block.longs(GatewayRecords.RX)[row]);
    }
  }

  @Test
  void equalSettingsGiveEqualRecords() {
    FleetConfig config = FleetConfig.of(20, START, 300, GatewayForm.CUMULATIVE);
    assertThat(records(config)).isEqualTo(records(config)).hasSizeGreaterThan(5_000);
    assertThat(records(config.withSeed(2))).isNotEqualTo(records(config));
  }

  @Test
  void allFaultsOfAFleetHappen() {
    FleetConfig config =
        FleetConfig.of(50, START, 3 * DAY_MINUTES, GatewayForm.CUMULATIVE).withWrapAt(1L << 28);
    Map<String, Long> newest = new HashMap<>();
    Map<String, long[]> last = new HashMap<>();
    Set<String> seen = new HashSet<>();
    Set<String> days = new HashSet<>();
    int late = 0;
    int twice = 0;
    int wraps = 0;
    int resets = 0;
    for (String record : records(config)) {
      String[] parts = record.split(" ", -1);
      long time = Long.parseLong(parts[1]);
      long[] values = {Long.parseLong(parts[2]), Long.parseLong(parts[3])};
      days.add(parts[0] + Instant.ofEpochMilli(time / 1_000).toString().substring(0, 10));
      if (!seen.add(parts[0] + time)) {
        twice++;
      } else if (time < newest.getOrDefault(parts[0], 0L)) {
        late++;
      } else {
        long[] before = last.put(parts[0], values);
        newest.put(parts[0], time);
        if (before != null && values[0] < before[0] && values[1] < before[1]) {
          resets++;
        } else if (before != null && (values[0] < before[0] || values[1] < before[1])) {
          wraps++;
        }
      }
    }
    assertThat(List.of(late, twice, wraps, resets)).allMatch(count -> count > 10);
    assertThat(days.size()).isBetween(120, 149); // of 150; some gateways send nothing that day
  }

  @ParameterizedTest
  @EnumSource(RecordEncoding.class)
  void returnsWhatWasWritten(RecordEncoding encoding, @TempDir Path dir) throws Exception {
    FleetConfig config = FleetConfig.of(30, START, 200, GatewayForm.COUNTER);
    Path file = dir.resolve("records.gz");
    Fleet fleet = new Fleet(config);
    TableBlock block = GatewayRecords.block(100);
    try (RecordFileWriter out =
        new RecordFileWriter(file, GatewayRecords.SCHEMA, encoding, new byte[16])) {
      while (fleet.fill(block, 777)) {
        out.write(block);
        block.clear();
      }
    }
    List<String> read = new ArrayList<>();
    try (RecordFile in = new RecordFile(file, GatewayRecords.SCHEMA, RecordAttributes.NONE)) {
      for (TableBlock next; (next = in.next()) != null; ) {
        addTo(read, next);
      }
    }
    assertThat(read).isEqualTo(records(config));
  }

  @Test
  void totalsFollowTheirDefinition() {
    TableBlock block = GatewayRecords.block(8);
    long midnight = Instant.parse("2026-03-02T00:00:00Z").toEpochMilli();
    add(block, midnight - 60_000, 900, 100);
    add(
        block,
        midnight + 30_000,
        90,
        200); // wraps at 1,000: 190 bytes, a third of them after midnight
    add(block, midnight + 30_000, 90, 200); // duplicate
    add(block, midnight + 60_000, 5, 6); // restarted
    add(block, midnight - 120_000, 800, 0); // late
    FleetTruth truth = new FleetTruth(ZoneId.of("UTC"), 1_000, Duration.ofHours(1));
    truth.add(block);
    assertThat(truth.totals())
        .containsEntry(
            "2026-03-01 gw", new FleetTruth.Total(big(100 + 126), big(100 + 66), 120_000, 2))
        .containsEntry("2026-03-02 gw", new FleetTruth.Total(big(64 + 5), big(34 + 6), 60_000, 2))
        .hasSize(2);
  }

  private static void add(TableBlock block, long millis, long tx, long rx) {
    byte[] id = "gw".getBytes(StandardCharsets.UTF_8);
    GatewayRecords.add(block, id, millis * 1_000, tx, rx, GatewayForm.CUMULATIVE);
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }
}
