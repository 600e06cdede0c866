package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.RetentionConfig;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.duckdb.rollup.RollupModel.Row;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Estimates of removed rows from sampled ones. */
class SamplesIT {
  private static final long MINUTE = 60_000_000L;
  private static final long DAY = 24 * 60 * MINUTE;
  private static final long START = 1_700_006_400_000_000L;
  private static final int DAYS = 12;
  private static final int BLOCK = Boolean.getBoolean("millrace.long") ? 5_000 : 2_000;
  private static final int BLOCKS = 30;
  private static final int INTERFACES = 8;
  private static final int QUESTIONS = 60;

  /** A set without the columns of the queries here. */
  private static final RollupConfig ONE_SET = RollupStore.portAlone(RollupConfig.DEFAULT);

  private static final String FILTER = "in_if < 3 and dst_port > 5";

  @TempDir Path directory;

  private final List<List<Row>> blocks = new ArrayList<>();
  private DuckDbStore store;

  @AfterEach
  void close() {
    store.close();
  }

  private void open(RollupConfig rollups) {
    store =
        new DuckDbStore(
            directory,
            StoreConfig.defaults().withRetention(new RetentionConfig(Duration.ofDays(2), 0)),
            rollups,
            1_000_000,
            () -> START + DAYS * DAY);
  }

  /** Creates blocks of the log, of some hours each; ports and bytes are skewed, rates differ. */
  private void make(long seed, boolean hasDurations) {
    Random random = new Random(seed);
    long length = DAYS * DAY / BLOCKS;
    for (int block = 0; block < BLOCKS; block++) {
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < BLOCK; i++) {
        long time = START + block * length + i * length / BLOCK;
        long bytes = 40 + (long) (1_000 / Math.pow(1 - random.nextDouble(), 0.8));
        boolean isLong = hasDurations && random.nextInt(3) == 0;
        rows.add(
            new Row(
                0,
                block,
                time,
                (int) (50 * Math.pow(random.nextDouble(), 3)),
                random.nextInt(INTERFACES),
                1 + random.nextInt(9),
                bytes,
                random.nextInt(4) == 0 ? 10 : 100,
                isLong ? time - random.nextInt(20) * MINUTE : RollupModel.NULL,
                isLong ? time : RollupModel.NULL));
      }
      blocks.add(rows);
    }
  }

  private void write(int from, int to) {
    FlowTable table = store.table(Store.FLOWS, new FlowSchema(List.of()));
    try (FlowWriter writer = table.writer()) {
      for (List<Row> block : blocks.subList(from, to)) {
        writer.append(RollupModel.block(block));
      }
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, (long) to)));
    store.rollUp();
  }

  private TopResult ask(String filter, Measure measure, long from, long to) {
    return store.top(
        FlowQuery.top(
                List.of("proto"),
                measure,
                Optional.of(instant(from)),
                Optional.of(instant(to)),
                Optional.empty(),
                10,
                Store.FLOWS)
            .withFilter(filter));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private double truth(Predicate<Row> filter, Measure measure, long from, long to) {
    return blocks.stream()
        .flatMap(List::stream)
        .filter(row -> row.time() >= from && row.time() < to)
        .filter(filter)
        .mapToDouble(
            row ->
                switch (measure) {
                  case BITS, SHARE -> (double) row.bytes() * row.rate();
                  case PACKETS -> (double) row.packets() * row.rate();
                  case FLOWS -> 1;
                })
        .sum();
  }

  private long number(String sql) {
    return AnswerRows.number(store, sql);
  }

  /** Keeps only the samples of days, for all times but the last. */
  private static RollupConfig byDay() {
    RollupConfig defaults = ONE_SET;
    Duration least = Duration.ofHours(2);
    return defaults.withRetention(
        new RollupConfig.Retention(least, least, defaults.retention().hours()));
  }

  @Test
  void intervalsContainTheResultsOfRemovedRows() {
    open(ONE_SET);
    intervalsHold("sample by minute");
  }

  @Test
  void samplesOfDaysHaveValidIntervals() {
    open(byDay());
    intervalsHold("sample by day");
    // The few rows that are left represent all removed rows.
    long weights =
        number("SELECT sum(weight) FROM flows_sampled WHERE time < make_timestamp(%d)", 10);
    assertThat(weights / (10.0 / DAYS * BLOCKS * BLOCK)).isBetween(0.95, 1.05);
    assertThat(number("SELECT count(*) FROM flows_sampled WHERE time < make_timestamp(%d)", 10))
        .isLessThan(BLOCKS * BLOCK / 20);
  }

  private void intervalsHold(String source) {
    make(1, false);
    write(0, BLOCKS);
    store.retain();
    assertThat(number("SELECT count(*) FROM flows")).isLessThan(BLOCKS * BLOCK / 5);
    Random random = new Random(2);
    int held = 0;
    int asked = 0;
    double sumOfRatios = 0;
    for (int i = 0; i < QUESTIONS; i++) {
      long from = START + random.nextLong((DAYS - 4) * DAY);
      long to = from + DAY / 4 + random.nextLong(4 * DAY);
      int least = random.nextInt(20);
      int inIf = random.nextInt(INTERFACES);
      Measure measure = Measure.values()[i % 3];
      TopResult result = ask("in_if = " + inIf + " and dst_port >= " + least, measure, from, to);
      double truth = truth(row -> row.inIf() == inIf && row.port() >= least, measure, from, to);
      assertThat(result.source()).startsWith(source);
      assertThat(result.error()).isPositive();
      held += Math.abs(result.total() - truth) <= result.error() ? 1 : 0;
      sumOfRatios += result.total() / truth;
      asked++;
    }
    assertThat(held / (double) asked).isGreaterThanOrEqualTo(0.94);
    assertThat(sumOfRatios / asked).isBetween(0.9, 1.1);
  }

  private long number(String sql, int days) {
    return number(sql.formatted(START + days * DAY));
  }

  @Test
  void durationsCountAsTheyDoForRows() {
    open(ONE_SET);
    make(3, true);
    write(0, BLOCKS);
    long from = START + DAY + 7 * MINUTE;
    long to = from + 3 * DAY;
    double exact = ask("in_if = 3 and dst_port > 5", Measure.BITS, from, to).total();
    store.retain();
    TopResult estimated = ask("in_if = 3 and dst_port > 5", Measure.BITS, from, to);
    assertThat(estimated.source()).startsWith("sample by ");
    assertThat(estimated.total()).isCloseTo(exact, Offset.offset(estimated.error()));
    assertThat(estimated.error()).isLessThan(exact / 2);
  }

  @Test
  void seriesAddUpToTheSameEstimateWithTheSameError() {
    open(ONE_SET);
    make(7, true);
    write(0, BLOCKS);
    store.retain();
    long to = START + 6 * DAY;
    TopResult top = ask(FILTER, Measure.BITS, START, to);
    SeriesResult.Period period = series(FlowQuery.Measure.BITS, to, false);
    assertThat(period.source()).startsWith("sample by ");
    assertThat(period.groups()).hasSize(3).allMatch(group -> group.line().error() > 0);
    assertThat(period.total().total()).isCloseTo(8 * top.total(), Percentage.withPercentage(0.1));
    assertThat(period.total().error()).isCloseTo(8 * top.error(), Percentage.withPercentage(0.1));
  }

  /** Also for shares; and nothing is uncertain while all rows exist. */
  @Test
  void eachPointHasAValidInterval() {
    open(ONE_SET);
    make(11, true);
    write(0, BLOCKS);
    long end = START + DAYS * DAY;
    Map<FlowQuery.Measure, SeriesResult.Period> truths = new EnumMap<>(FlowQuery.Measure.class);
    for (FlowQuery.Measure measure : FlowQuery.Measure.values()) {
      truths.put(measure, series(measure, end, true));
    }
    store.retain();
    truths.forEach((measure, truth) -> pointsHold(truth, series(measure, end, false)));
  }

  private static void pointsHold(SeriesResult.Period truth, SeriesResult.Period estimated) {
    int held = 0;
    int points = 0;
    for (SeriesResult.Group group : estimated.groups()) {
      double[] exact =
          truth.groups().stream()
              .filter(its -> its.key().equals(group.key()))
              .findFirst()
              .orElseThrow()
              .line()
              .rates();
      double[] rates = group.line().rates();
      double[] errors = group.line().errors();
      assertThat(errors).hasSameSizeAs(rates);
      assertThat(errors[rates.length - 1]).isZero();
      for (int i = 0; i < rates.length; i++) {
        if (errors[i] == 0) {
          assertThat(rates[i]).isCloseTo(exact[i], Offset.offset(1e-6));
        } else {
          points++;
          held += Math.abs(rates[i] - exact[i]) <= errors[i] ? 1 : 0;
        }
      }
    }
    assertThat(points).isGreaterThan(50);
    assertThat(held / (double) points).isGreaterThanOrEqualTo(0.94);
  }

  private SeriesResult.Period series(FlowQuery.Measure measure, long to, boolean isScan) {
    return store
        .series(
            FlowQuery.series(measure, "proto", "in_if")
                .with(
                    request ->
                        request
                            .from(Optional.of(instant(START)))
                            .to(Optional.of(instant(to)))
                            .step(Optional.of(Duration.ofHours(3)))
                            .n(8)
                            .filter(Optional.of(FILTER))
                            .scan(isScan)))
        .period();
  }

  @Test
  void replayedRowsAreSampledOnce() {
    open(ONE_SET);
    make(4, false);
    write(0, 25);
    long before = sampled();
    store.table(Store.FLOWS, new FlowSchema(List.of())).rewind(new Frontier(Map.of(0, 11L)));
    assertThat(sampled()).isEqualTo(before);
    store.close();
    open(ONE_SET);
    write(11, BLOCKS);
    assertThat(
            number("SELECT count(*) - count(DISTINCT (log_offset, log_index)) FROM flows_sampled"))
        .isZero();
    store.retain();
    TopResult result = ask("in_if < 5 and dst_port > 1", Measure.PACKETS, START, START + 8 * DAY);
    double truth =
        truth(row -> row.inIf() < 5 && row.port() > 1, Measure.PACKETS, START, START + 8 * DAY);
    assertThat(Math.abs(result.total() - truth)).isLessThanOrEqualTo(result.error());
    assertThat(result.error()).isLessThan(truth / 3);
  }

  @Test
  void removedRowsStayInTheSampleAfterAReplay() {
    open(ONE_SET);
    make(5, false);
    write(0, BLOCKS);
    store.retain();
    long before = number("SELECT sum(packets * sampling_rate * weight) FROM flows_sampled");
    store.table(Store.FLOWS, new FlowSchema(List.of())).rewind(Frontier.EMPTY);
    write(0, BLOCKS);
    assertThat(number("SELECT sum(packets * sampling_rate * weight) FROM flows_sampled"))
        .isEqualTo(before);
  }

  @Test
  void withoutSamplesRemovedRowsAreLost() {
    open(ONE_SET);
    make(6, false);
    write(0, 10);
    store.close();
    open(ONE_SET.withSamples(false));
    write(10, BLOCKS);
    store.retain();
    TopResult result = ask("in_if = 3 and dst_port > 5", Measure.BITS, START, START + DAY);
    assertThat(result.source()).isEqualTo("rows");
    assertThat(result.total()).isZero();
  }

  private long sampled() {
    return number("SELECT count(*) FROM flows_sampled");
  }
}
