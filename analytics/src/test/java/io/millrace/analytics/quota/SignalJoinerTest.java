package io.millrace.analytics.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.quota.PlainQuota.Row;
import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.wire.block.TableBlock;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Edges of windows, one at a time. */
class SignalJoinerTest {
  private static final long MINUTE = 60_000_000;
  private static final long START = 20_000 * MINUTE;
  private static final QuotaRules RULES =
      new QuotaRules(90, 15 * MINUTE, List.of("warn", "grant", "charge"));

  private static Row usage(long time, long place, long used) {
    return new Row(START + time, 7, 0, place, 0, 100, used, RULES.of(100, used, 0, 0));
  }

  private static Row event(long time, long place) {
    return new Row(START + time, 7, 0, place, 0, 0, 0, QuotaRules.NONE);
  }

  private static String signal(long time, String rule, long used, long usageTime) {
    return "%d 7 %s 100 %d %d".formatted(START + time, rule, used, START + usageTime);
  }

  private static TwoInputTester<TableBlock, TableBlock, TableBlock> tester(Row... rows) {
    return TwoInputTester.of(() -> new SignalJoiner(RULES))
        .keyedBy(QuotaRecords.BY_SUBSCRIBER, QuotaRecords.BY_SUBSCRIBER)
        .feedFirst(PlainQuota.block(Stream.of(rows).filter(each -> !each.isEvent()).toList()))
        .feedSecond(PlainQuota.block(Stream.of(rows).filter(Row::isEvent).toList()))
        .inAnyOrder();
  }

  @Test
  void aRecordIsValidFromItsTimeUntilBeforeTheEndOfItsWindow() {
    tester(usage(0, 5, 95), event(0, 1), event(-1, 2)).expect(signal(0, "warn", 95, 0));
    tester(usage(0, 1, 95), event(15 * MINUTE - 1, 1))
        .expect(signal(15 * MINUTE - 1, "warn", 95, 0));
    tester(usage(0, 1, 95), event(15 * MINUTE, 1)).expect();
  }

  @Test
  void theNewestRecordAppliesAndTheLastInTheLogAtEqualTimes() {
    tester(usage(MINUTE, 1, 95), usage(0, 2, 100), event(2 * MINUTE, 1))
        .expect(signal(2 * MINUTE, "warn", 95, MINUTE));
    tester(usage(0, 2, 100), usage(0, 1, 95), event(1, 1)).expect(signal(1, "grant", 100, 0));
  }

  @Test
  void eachRuleSignalsOnceInAWindowAndAgainAtItsEnd() {
    tester(
            usage(0, 1, 95),
            event(1, 1),
            event(2, 2),
            usage(10 * MINUTE, 2, 96),
            event(15 * MINUTE, 3),
            event(15 * MINUTE + 1, 4),
            usage(16 * MINUTE, 3, 100),
            event(16 * MINUTE, 5))
        .expectCounted(SignalJoiner.REPEATED, 2)
        .expect(
            signal(1, "warn", 95, 0),
            signal(15 * MINUTE + 1, "warn", 96, 10 * MINUTE),
            signal(16 * MINUTE, "grant", 100, 16 * MINUTE));
  }

  @Test
  void atMostOneRuleMatches() {
    assertThat(RULES.of(100, 89, 0, 0)).isEqualTo(QuotaRules.NONE);
    assertThat(RULES.of(100, 90, 0, 0)).isZero();
    assertThat(RULES.of(100, 99, 10, 10)).isZero();
    assertThat(RULES.of(100, 100, 0, 0)).isEqualTo(1);
    assertThat(RULES.of(100, 150, 10, 9)).isEqualTo(1);
    assertThat(RULES.of(100, 100, 10, 10)).isEqualTo(2);
    assertThat(RULES.of(QuotaRecords.MAX_QUOTA, QuotaRecords.MAX_QUOTA - 1, 0, 0)).isZero();
    assertThat(RULES.of(3, 2, 0, 0)).isEqualTo(QuotaRules.NONE);
  }

  @Test
  void filterKeepsMatchingRecordsWithTheirPositions() {
    TableBlock usage = new TableBlock(QuotaRecords.USAGE.columnsWithPlace(), 3);
    for (int row = 0; row < 3; row++) {
      long[] values = {START + row, 7, 0, 100, 80 + 10 * row, 0, 0, 1, 40 + row, row};
      for (int column = 0; column < values.length; column++) {
        if (usage.texts(column) == null) {
          usage.longs(column)[row] = values[column];
        } else {
          usage.texts(column).add("gold");
        }
      }
    }
    usage.rows(3);
    UsageFilter filter = new UsageFilter(RULES);
    filter.open(AnalyzerContext.alone());
    List<Row> kept =
        List.of(
            new Row(START + 1, 7, 1, 41, 1, 100, 90, 0),
            new Row(START + 2, 7, 1, 42, 2, 100, 100, 1));
    filter.process(
        usage,
        block -> {
          TableBlock expected = PlainQuota.block(kept);
          assertThat(block.rows()).isEqualTo(2);
          for (int column = 0; column < QuotaRecords.JUDGED.size(); column++) {
            for (int row = 0; row < 2; row++) {
              assertThat(block.text(row, column)).isEqualTo(expected.text(row, column));
            }
          }
        });
  }

  /** Two additional rules: half of the quota is used; the same, and the event has an even time. */
  @Test
  void furtherRulesSignalToo() {
    RecordCondition half =
        (usage, row) -> usage.longs(QuotaRecords.USAGE.indexOf("quota_used"))[row] >= 50;
    RecordCondition even = (events, row) -> events.longs(QuotaRecords.TIME)[row] % 2 == 0;
    QuotaRules rules =
        new QuotaRules(
            90,
            15 * MINUTE,
            RULES.names(),
            List.of(
                new QuotaRules.Further("half", half, RecordCondition.ANY),
                new QuotaRules.Further("even", half, even)));
    TableBlock usage = new TableBlock(QuotaRecords.USAGE.columnsWithPlace(), 3);
    TableBlock events = new TableBlock(QuotaRecords.STREAMING.columnsWithPlace(), 3);
    long[] used = {49, 60, 95};
    for (int row = 0; row < 3; row++) {
      usage.longs(0)[row] = START + row;
      usage.longs(1)[row] = 7L + row;
      usage.texts(2).add("gold");
      usage.longs(3)[row] = 100;
      usage.longs(4)[row] = used[row];
      events.longs(0)[row] = START + 10 + row;
      events.longs(1)[row] = 7L + row;
      events.texts(2).add((String) null);
    }
    usage.rows(3);
    events.rows(3);
    UsageFilter filter = new UsageFilter(rules);
    filter.open(AnalyzerContext.alone());
    TwoInputTester<TableBlock, TableBlock, TableBlock> tester =
        TwoInputTester.of(() -> new SignalJoiner(rules))
            .keyedBy(QuotaRecords.BY_SUBSCRIBER, QuotaRecords.BY_SUBSCRIBER);
    filter.process(usage, tester::feedFirst);
    new EventColumns(rules).process(events, tester::feedSecond);
    tester.expect(
        "%d 8 half 100 60 %d".formatted(START + 11, START + 1),
        "%d 9 warn 100 95 %d".formatted(START + 12, START + 2),
        "%d 9 half 100 95 %d".formatted(START + 12, START + 2),
        "%d 9 even 100 95 %d".formatted(START + 12, START + 2));
  }
}
