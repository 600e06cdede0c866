package io.millrace.analytics.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The totals equal those of the plain definition, for any order of arrival and across restarts. */
class GatewayDaysPropertyTest {
  private static final long START = Instant.parse("2026-03-27T20:00:00Z").toEpochMilli();
  private static final String[] ZONES = {"UTC", "Europe/Berlin", "Asia/Kolkata", "Pacific/Apia"};

  private static GatewayDaysConfig config(Random random) {
    return new GatewayDaysConfig(
        ZoneId.of(ZONES[random.nextInt(ZONES.length)]),
        Duration.ofSeconds(1),
        Duration.ofMinutes(random.nextInt(20)),
        1 + random.nextInt(6),
        random.nextInt(4) == 0,
        random.nextInt(4) == 0 ? 0 : GatewayTraffic.WRAP,
        Duration.ofDays(1 + random.nextInt(7)),
        Duration.ofHours(1),
        Duration.ofDays(30),
        3.5,
        100);
  }

  @Property(tries = 300)
  void totalsAreThoseOfThePlainDefinition(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    GatewayDaysConfig config = config(random);
    List<GatewayRecord> records = GatewayTraffic.random(random, START, 30 + random.nextInt(400));
    Map<String, String> table = new TreeMap<>();
    GatewayDays analyzer = opened(config);
    StateSnapshot base = analyzer.snapshot();
    int at = 0;
    while (at < records.size()) {
      int next = Math.min(records.size(), at + 1 + random.nextInt(40));
      analyzer.process(
          GatewayRecord.block(records.subList(at, next)),
          new ByOutput(block -> store(block, table), alert -> {}));
      at = next;
      switch (random.nextInt(6)) {
        case 0 -> analyzer.tick(0, new ByOutput(block -> store(block, table), alert -> {}));
        case 1 -> {
          analyzer = restored(analyzer, config);
          base = analyzer.snapshot();
        }
        case 2 -> base = analyzer.snapshot();
        case 3 -> {
          analyzer = restoredByChanges(base, analyzer, config);
          base = analyzer.snapshot();
        }
        default -> {}
      }
    }
    analyzer.tick(0, new ByOutput(block -> store(block, table), alert -> {}));

    assertThat(table).isEqualTo(new PlainDays(config, records).rows());
  }

  private static GatewayDays opened(GatewayDaysConfig config) {
    GatewayDays analyzer = new GatewayDays(config);
    analyzer.open(AnalyzerContext.alone());
    return analyzer;
  }

  private static GatewayDays restored(GatewayDays from, GatewayDaysConfig config) throws Exception {
    GatewayDays to = opened(config);
    StateSnapshot snapshot = from.snapshot();
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      if (!snapshot.isEmpty(group)) {
        BlockBuffer bytes = new BlockBuffer(64);
        snapshot.write(group, bytes);
        to.restore(group, new BlockInput(bytes.bytes(), 0, bytes.length()));
      }
    }
    return to;
  }

  /** Restored from an earlier snapshot and the changes since. */
  private static GatewayDays restoredByChanges(
      StateSnapshot base, GatewayDays from, GatewayDaysConfig config) throws Exception {
    GatewayDays to = opened(config);
    StateSnapshot now = from.snapshot();
    assertThat(now.hasChangesSince(base)).isTrue();
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      BlockBuffer bytes = new BlockBuffer(64);
      if (!base.isEmpty(group)) {
        base.write(group, bytes);
        to.restore(group, new BlockInput(bytes.bytes(), 0, bytes.length()));
      }
      bytes.clear();
      now.writeChanges(group, base, bytes);
      to.restore(group, new BlockInput(bytes.bytes(), 0, bytes.length()));
    }
    return to;
  }

  private static void store(TableBlock block, Map<String, String> table) {
    for (int row = 0; row < block.rows(); row++) {
      String day =
          Instant.ofEpochSecond(block.longs(0)[row] / 1_000_000)
              .atOffset(ZoneOffset.UTC)
              .toLocalDate()
              .toString();
      StringBuilder values = new StringBuilder();
      for (int column = 2; column < block.schema().size(); column++) {
        values.append(column == 2 ? "" : " ").append(block.text(row, column));
      }
      table.put(day + " " + block.text(row, 1), values.toString());
    }
  }

  @Property(tries = 100)
  void stateWithAnotherNumberOfLateRecordsIsRestored(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    GatewayDaysConfig before = withLateRecords(2 + random.nextInt(5));
    GatewayDaysConfig after = withLateRecords(2 + random.nextInt(5));
    List<GatewayRecord> records =
        List.of(
            new GatewayRecord("g", START, 10, 20, GatewayForm.CUMULATIVE),
            new GatewayRecord("g", START + 9, 14, 30, GatewayForm.CUMULATIVE),
            new GatewayRecord("g", START + 5, 12, 22, GatewayForm.CUMULATIVE));
    GatewayDays first = opened(before);
    Map<String, String> table = new TreeMap<>();
    first.process(GatewayRecord.block(records.subList(0, 2)), block -> {});
    GatewayDays second = restored(first, after);
    second.process(GatewayRecord.block(records.subList(2, 3)), block -> {});
    second.tick(0, new ByOutput(block -> store(block, table), alert -> {}));

    assertThat(table).isEqualTo(new PlainDays(after, records).rows());
  }

  private static GatewayDaysConfig withLateRecords(int records) {
    GatewayDaysConfig d = GatewayDaysConfig.defaults();
    return new GatewayDaysConfig(
        d.zone(),
        d.interval(),
        d.allowedLateness(),
        records,
        d.dropLate(),
        d.wrapAt(),
        d.maxGap(),
        d.maxAhead(),
        d.forget(),
        d.alertAbove(),
        d.alertGateways());
  }
}
