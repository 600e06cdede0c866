package io.millrace.analytics.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.quota.PlainQuota.Row;
import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random traces with disorder, duplicates, gaps and late rows, in every way of the tester
 * (restored, at other parallelisms, either input first), against the plain reference.
 */
class SignalJoinerPropertyTest {
  private static final QuotaRules RULES = new QuotaRules(90, 10_000_000, List.of("a", "b", "c"));
  private static final long SECOND = 1_000_000;

  /** Half of the times are exact seconds, on the edges of windows. */
  private static long time(Random random, long from, long seconds) {
    long time = from + random.nextInt((int) seconds) * SECOND;
    return random.nextBoolean() ? time : time + random.nextInt(3) - 1;
  }

  private static Row row(Random random, long time, long offset, boolean event) {
    long used = 90L + random.nextInt(30);
    return new Row(
        time,
        1 + random.nextInt(4),
        random.nextInt(3),
        offset,
        random.nextInt(2),
        event ? 0 : 100,
        event ? 0 : used,
        event ? QuotaRules.NONE : RULES.of(100, used, 10, random.nextInt(14)));
  }

  @Property(tries = 10)
  void signalsAreThoseOfTheReference(@ForAll long seed) {
    Random random = new Random(seed);
    TwoInputTester<TableBlock, TableBlock, TableBlock> tester =
        TwoInputTester.of(() -> new SignalJoiner(RULES))
            .keyedBy(QuotaRecords.BY_SUBSCRIBER, QuotaRecords.BY_SUBSCRIBER)
            .inAnyOrder();
    List<Row> joined = new ArrayList<>();
    int[] late = new int[2];
    long passed = 100 * SECOND;
    tester.watermark(passed);
    for (int round = 0; round < 6; round++) {
      for (boolean event : new boolean[] {true, false}) {
        List<Row> rows = new ArrayList<>();
        for (int i = random.nextInt(12); i >= 0; i--) {
          long offset = round * 100L + i;
          rows.add(row(random, time(random, passed - SECOND, 12), offset, event));
          if (random.nextInt(4) == 0) {
            rows.add(rows.get(random.nextInt(rows.size())));
          }
        }
        for (Row each : rows) {
          if (each.time() > passed) {
            joined.add(each);
          } else {
            late[event ? 1 : 0]++;
          }
        }
        if (event) {
          tester.feedSecond(PlainQuota.block(rows));
        } else {
          tester.feedFirst(PlainQuota.block(rows));
        }
      }
      passed += (random.nextInt(5) == 0 ? 25 : 1 + random.nextInt(8)) * SECOND;
      tester.watermark(passed);
    }
    tester
        .expectCounted(SignalJoiner.LATE_USAGE, late[0])
        .expectCounted(SignalJoiner.LATE_EVENTS, late[1])
        .expect(PlainQuota.signals(joined, RULES));
  }

  /** The traces are meaningful: they have signals of each rule, and suppressed ones. */
  @Property(tries = 1)
  void referenceGivesSignalsOfEachRule() {
    Random random = new Random(1);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      rows.add(row(random, time(random, 0, 60), i, i % 2 == 0));
    }
    String[] signals = PlainQuota.signals(rows, RULES);
    assertThat(signals).anyMatch(each -> each.contains(" a "));
    assertThat(signals).anyMatch(each -> each.contains(" b "));
    assertThat(signals).anyMatch(each -> each.contains(" c "));
    assertThat(signals).hasSizeBetween(10, 80);
  }
}
