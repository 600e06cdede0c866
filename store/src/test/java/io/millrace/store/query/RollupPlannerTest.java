package io.millrace.store.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.store.rollup.StoredRollup.Times;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Pieces of time ranges; times are of one day, hours are complete to 12:00. */
class RollupPlannerTest {
  private static final RollupSet PAIRS = new RollupSet("as", List.of("src_as", "dst_as"));
  private static final RollupSet SOURCES = new RollupSet("sources", List.of("src_as"));

  /** A set that has not been kept for long. */
  private static final Times NO_DAY = new Times(RollupCatalog.ALWAYS, RollupCatalog.ALWAYS);

  private long oldest = at("01:15:00");
  private long rowsFrom = Long.MIN_VALUE;
  private long bucketMicros;
  private boolean exact = true;
  private final SortedSet<Long> droppedHours = new TreeSet<>();
  private final SortedSet<Long> droppedMinutes = new TreeSet<>();
  private Map<Grain, Times> times =
      Map.of(
          Grain.DAY, NO_DAY,
          Grain.HOUR, new Times(at("00:00:00"), at("12:00:00")),
          Grain.FIVE, new Times(at("00:00:00"), at("12:25:00")),
          Grain.MINUTE, new Times(at("00:00:00"), at("12:28:00")));

  private static long at(String time) {
    return Instant.parse("2026-11-20T" + time + "Z").getEpochSecond() * 1_000_000;
  }

  private StoredRollup kept(RollupSet set) {
    return new StoredRollup(set, new Frontier(Map.of(0, 7L)), times, at("12:30:10"));
  }

  private Optional<RollupPlan> plan(String from, String to, String... columns) {
    return plan(
        from.isEmpty() ? Long.MIN_VALUE : at(from),
        to.isEmpty() ? Long.MAX_VALUE : at(to),
        columns);
  }

  private Optional<RollupPlan> plan(long from, long to, String... columns) {
    RollupPlanner.Facts facts =
        new RollupPlanner.Facts() {
          @Override
          public SortedSet<Long> dropped(StoredRollup kept, Grain grain, long first, long end) {
            return switch (grain) {
              case MINUTE -> new TreeSet<>(droppedMinutes.subSet(first, end));
              case HOUR -> new TreeSet<>(droppedHours.subSet(first, end));
              default -> new TreeSet<>();
            };
          }

          @Override
          public long size(StoredRollup kept) {
            return kept.set().columns().size();
          }
        };
    RollupPlanner planner =
        new RollupPlanner(new RollupPlanner.Extent(oldest, at("12:30:40"), rowsFrom), facts);
    try {
      return planner.plan(
          List.of(kept(PAIRS), kept(SOURCES)),
          new RollupQuery(Set.of(columns), from, to, Accounting.ARRIVAL, exact, bucketMicros));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private List<Piece> pieces(String from, String to) {
    return plan(from, to, "dst_as").orElseThrow().pieces();
  }

  private static Piece piece(Source source, String from, String to) {
    return new Piece(source, at(from), at(to));
  }

  @Test
  void usesTheLongestBucketsThatFitAndRowsAtTheEdges() {
    assertThat(pieces("02:53:30", "12:29:30"))
        .containsExactly(
            piece(Source.ROWS, "02:53:30", "02:54:00"),
            piece(Source.MINUTE, "02:54:00", "02:55:00"),
            piece(Source.FIVE, "02:55:00", "03:00:00"),
            piece(Source.HOUR, "03:00:00", "12:00:00"),
            piece(Source.FIVE, "12:00:00", "12:25:00"),
            piece(Source.MINUTE, "12:25:00", "12:28:00"),
            piece(Source.OPEN, "12:28:00", "12:29:00"),
            piece(Source.ROWS, "12:29:00", "12:29:30"));
  }

  @Test
  void hasNoEdgesWithoutData() {
    assertThat(pieces("", ""))
        .containsExactly(
            piece(Source.HOUR, "01:00:00", "12:00:00"),
            piece(Source.FIVE, "12:00:00", "12:25:00"),
            piece(Source.MINUTE, "12:25:00", "12:28:00"),
            piece(Source.OPEN, "12:28:00", "12:31:00"));
    assertThat(pieces("00:10:07", "13:00:59")).isEqualTo(pieces("", ""));
  }

  @Test
  void describesItsSources() {
    RollupPlan plan = plan("02:53:30", "12:29:30", "dst_as").orElseThrow();
    assertThat(plan.describe(14_210, plan.from(), plan.to()))
        .isEqualTo("rollup as: 9 hours, 6 × 5 minutes, 4 minutes, 1 open minute and 14,210 rows");
    RollupPlan whole = plan("03:00:00", "05:00:00", "dst_as").orElseThrow();
    assertThat(whole.describe(0, whole.from(), whole.to())).isEqualTo("rollup as: 2 hours");
  }

  @Test
  void choosesTheSmallestSetThatHasAllColumns() {
    assertThat(plan("", "", "src_as").orElseThrow().kept().set()).isEqualTo(SOURCES);
    assertThat(plan("", "", "src_as", "dst_as").orElseThrow().kept().set()).isEqualTo(PAIRS);
    assertThat(plan("", "", "src_as", "proto")).isEmpty();
    assertThat(plan("", "").orElseThrow().kept().set()).isEqualTo(SOURCES);
  }

  @Test
  void avoidsBucketsThatDroppedGroupsIfTheResultMustBeExact() {
    droppedHours.add(at("04:00:00"));
    droppedHours.add(at("05:00:00"));
    assertThat(pieces("03:00:00", "07:00:00"))
        .containsExactly(
            piece(Source.HOUR, "03:00:00", "04:00:00"),
            piece(Source.FIVE, "04:00:00", "06:00:00"),
            piece(Source.HOUR, "06:00:00", "07:00:00"));
    exact = false;
    assertThat(pieces("03:00:00", "07:00:00"))
        .containsExactly(piece(Source.HOUR, "03:00:00", "07:00:00"));
  }

  @Test
  void openMinutesHaveTheGroupsThatMinutesDropped() {
    droppedMinutes.add(at("11:02:00"));
    droppedMinutes.add(at("12:26:00"));
    bucketMicros = Grain.MINUTE.micros();
    assertThat(pieces("11:00:00", "11:04:00"))
        .containsExactly(
            piece(Source.MINUTE, "11:00:00", "11:02:00"),
            piece(Source.ROWS, "11:02:00", "11:03:00"),
            piece(Source.MINUTE, "11:03:00", "11:04:00"));
    assertThat(pieces("12:25:00", "12:29:00"))
        .containsExactly(
            piece(Source.MINUTE, "12:25:00", "12:26:00"),
            piece(Source.OPEN, "12:26:00", "12:27:00"),
            piece(Source.MINUTE, "12:27:00", "12:28:00"),
            piece(Source.OPEN, "12:28:00", "12:29:00"));
  }

  @Test
  void usesBucketsWithinOneRequestedBucket() {
    bucketMicros = 15 * Grain.MINUTE.micros();
    assertThat(pieces("03:00:00", "05:00:00"))
        .containsExactly(piece(Source.FIVE, "03:00:00", "05:00:00"));
    bucketMicros = 2 * Grain.MINUTE.micros();
    assertThat(pieces("03:00:00", "05:00:00"))
        .containsExactly(piece(Source.MINUTE, "03:00:00", "05:00:00"));
  }

  @Test
  void readsRowsIfMostOfTheRangeNeedsThem() {
    assertThat(plan("03:00:01", "03:00:59", "dst_as")).isEmpty();
    assertThat(plan("03:00:30", "03:01:45", "dst_as")).isEmpty();
    assertThat(plan("20:00:00", "21:00:00", "dst_as")).isEmpty();
    assertThat(plan("05:00:00", "04:00:00", "dst_as")).isEmpty();
  }

  @Test
  void extendsTheRangeToRemainingBucketsOrRejectsIt() {
    rowsFrom = at("11:00:00");
    times =
        Map.of(
            Grain.DAY, NO_DAY,
            Grain.HOUR, new Times(at("00:00:00"), at("12:00:00")),
            Grain.FIVE, new Times(at("03:00:00"), at("12:25:00")),
            Grain.MINUTE, new Times(at("06:00:00"), at("12:28:00")));
    assertThat(plan("02:53:30", "11:59:30", "dst_as")).isEmpty();
    exact = false;
    assertThat(pieces("02:53:30", "11:00:30"))
        .containsExactly(
            piece(Source.HOUR, "02:00:00", "11:00:00"), piece(Source.ROWS, "11:00:00", "11:00:30"));
    assertThat(pieces("03:07:30", "08:00:30"))
        .containsExactly(
            piece(Source.FIVE, "03:05:00", "04:00:00"),
            piece(Source.HOUR, "04:00:00", "08:00:00"),
            piece(Source.MINUTE, "08:00:00", "08:01:00"));
    RollupPlan plan = plan("02:53:30", "04:07:30", "dst_as").orElseThrow();
    assertThat(plan.from()).isEqualTo(at("02:00:00"));
    assertThat(plan.to()).isEqualTo(at("04:10:00"));
  }

  @Test
  void startsWhereASetWasAddedLater() {
    times =
        Map.of(
            Grain.DAY, NO_DAY,
            Grain.HOUR, new Times(at("09:00:00"), at("12:00:00")),
            Grain.FIVE, new Times(at("08:20:00"), at("12:25:00")),
            Grain.MINUTE, new Times(at("08:17:00"), at("12:28:00")));
    assertThat(pieces("08:00:00", "12:00:00"))
        .containsExactly(
            piece(Source.ROWS, "08:00:00", "08:17:00"),
            piece(Source.MINUTE, "08:17:00", "08:20:00"),
            piece(Source.FIVE, "08:20:00", "09:00:00"),
            piece(Source.HOUR, "09:00:00", "12:00:00"));
    times =
        Map.of(
            Grain.DAY, NO_DAY,
            Grain.HOUR, new Times(at("08:00:00"), Long.MIN_VALUE),
            Grain.FIVE, new Times(at("08:00:00"), Long.MIN_VALUE),
            Grain.MINUTE, new Times(at("08:00:00"), Long.MIN_VALUE));
    assertThat(pieces("08:00:00", "12:00:00"))
        .containsExactly(piece(Source.OPEN, "08:00:00", "12:00:00"));
  }

  @Test
  void readsWholeDaysFromDays() {
    long day = Grain.DAY.micros();
    times =
        Map.of(
            Grain.DAY, new Times(at("00:00:00") - 9 * day, at("00:00:00")),
            Grain.HOUR, new Times(at("00:00:00") - 9 * day, at("12:00:00")),
            Grain.FIVE, new Times(at("00:00:00") - 9 * day, at("12:25:00")),
            Grain.MINUTE, new Times(at("00:00:00") - 9 * day, at("12:28:00")));
    oldest = at("22:10:00") - 5 * day;
    String[] columns = {"dst_as"};
    assertThat(plan(at("23:00:00") - 5 * day, at("02:00:00"), columns).orElseThrow().pieces())
        .containsExactly(
            new Piece(Source.HOUR, at("23:00:00") - 5 * day, at("00:00:00") - 4 * day),
            new Piece(Source.DAY, at("00:00:00") - 4 * day, at("00:00:00")),
            new Piece(Source.HOUR, at("00:00:00"), at("02:00:00")));
    // If the range begins before all data, the first day is used as a whole.
    assertThat(plan(Long.MIN_VALUE, at("00:00:00"), columns).orElseThrow().pieces())
        .containsExactly(new Piece(Source.DAY, at("00:00:00") - 5 * day, at("00:00:00")));
  }

  @Test
  void describesOnlyWhatThereIs() {
    RollupPlan plan = plan("01:00:00", "05:00:00", "dst_as").orElseThrow();
    assertThat(plan.describe(0, plan.from(), plan.to())).isEqualTo("rollup as: 4 hours");
    assertThat(plan.describe(3, at("03:10:00"), at("03:10:10")))
        .isEqualTo("rollup as: 1 hour and 3 rows");
    assertThat(plan.describe(0, at("09:00:00"), at("09:10:00"))).isEqualTo("rollup as: nothing");
  }

  private static RowExtent part(int firstPartition, int lastPartition, long lastOffset) {
    return new RowExtent(9, 0, 1, firstPartition, lastPartition, 0, lastOffset);
  }

  @Test
  void selectsRowsThatAreNotRolledUp() {
    assertThat(part(0, 9, 99).unrolled(Frontier.EMPTY)).containsExactly("true");
    Frontier rolled = new Frontier(Map.of(1, 10L, 2, 5L, 5, 7L));
    String behind =
        "log_offset >= 5 AND CASE log_partition WHEN 1 THEN log_offset >= 10 WHEN 2 THEN"
            + " log_offset >= 5 WHEN 5 THEN log_offset >= 7 ELSE false END";
    assertThat(part(0, 9, 99).unrolled(rolled))
        .containsExactly(
            "log_partition < 1",
            "log_partition >= 3 AND log_partition < 5",
            behind,
            "log_partition >= 6");
  }

  @Test
  void omitsConditionsThatNoRowMatches() {
    Frontier rolled = new Frontier(Map.of(1, 10L, 2, 5L, 5, 7L));
    assertThat(part(1, 5, 4).unrolled(rolled))
        .containsExactly("log_partition >= 3 AND log_partition < 5");
    assertThat(part(1, 2, 4).unrolled(rolled)).isEmpty();
    assertThat(part(6, 7, 4).unrolled(rolled)).containsExactly("log_partition >= 6");
    assertThat(RowExtent.NONE.unrolled(rolled)).isEmpty();
  }
}
