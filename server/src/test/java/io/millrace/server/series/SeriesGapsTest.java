package io.millrace.server.series;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Line;
import io.millrace.store.SeriesResult.Period;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeriesGapsTest {
  private static final Instant FROM = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration STEP = Duration.ofMinutes(1);

  private final List<FlowQuery> asked = new ArrayList<>();

  @Test
  void withoutAFilterTheResultShowsItsGaps() {
    SeriesResult result = result(3, 0, 0, 5, Double.NaN, 0);
    assertThat(gaps(FlowQuery.series(Measure.BITS, "proto"), result, result))
        .containsExactly(false, true, true, false, false, false);
    assertThat(asked).isEmpty();
  }

  @Test
  void noMatchingTrafficIsNotAGap() {
    FlowQuery request =
        FlowQuery.series(Measure.BITS, "proto")
            .withFilter(Optional.of("dst_port = 22"))
            .withLast(Optional.of(Duration.ofMinutes(6)));
    assertThat(gaps(request, result(3, 0, 0, 5, 0, 0), result(9, 0, 7, 9, 9, 9)))
        .containsExactly(false, true, false, false, false, false);
    FlowQuery all = asked.get(0);
    assertThat(all.filter()).isEmpty();
    assertThat(all.dimensions()).isEmpty();
    assertThat(all.last()).isEmpty();
    assertThat(all.from()).contains(FROM);
    assertThat(all.step()).contains(STEP);
  }

  @Test
  void gapsOfFlowCountsFollowFromBytes() {
    assertThat(
            gaps(
                FlowQuery.series(Measure.FLOWS, "proto"),
                result(1, 0, 0, 1, 1, 1),
                result(4, 4, 0, 4, 4, 4)))
        .containsExactly(false, false, true, false, false, false);
  }

  @Test
  void aTotalWithAnotherStepIsIgnored() {
    FlowQuery request =
        FlowQuery.series(Measure.BITS, "proto").withFilter(Optional.of("dst_port = 22"));
    assertThat(gaps(request, result(3, 0, 0, 5, 0, 0), result(9, 0))).containsOnly(false);
  }

  @Test
  void adjacentGapsAreMerged() {
    long start = FROM.toEpochMilli();
    assertThat(SeriesGaps.ranges(new boolean[] {true, false, true, true}, FROM, STEP))
        .containsExactly(List.of(start, start + 60_000), List.of(start + 120_000, start + 240_000));
    assertThat(SeriesGaps.ranges(new boolean[3], FROM, STEP)).isEmpty();
    assertThat(SeriesGaps.text(new boolean[] {true, false, true, true}, FROM, STEP))
        .isEqualTo(
            "; no rows in 3 min, which count as 0: 2026-01-01T00:00:00Z to"
                + " 2026-01-01T00:01:00Z, 2026-01-01T00:02:00Z to 2026-01-01T00:04:00Z");
    assertThat(SeriesGaps.text(new boolean[3], FROM, STEP)).isEmpty();
  }

  private boolean[] gaps(FlowQuery request, SeriesResult result, SeriesResult all) {
    SeriesGaps gaps =
        new SeriesGaps(
            request,
            result,
            its -> {
              asked.add(its);
              return all;
            });
    return gaps.of(result.period());
  }

  /** A result whose last point is incomplete. */
  private static SeriesResult result(double... rates) {
    Line line = new Line(rates, 0, 0, 0, new double[0], 0, 0, 0, 0);
    Instant to = FROM.plus(STEP.multipliedBy(rates.length));
    Period period = new Period(FROM, to, List.of(), line, line, "rows");
    return new SeriesResult(
        List.of(), STEP, to.minus(STEP), to, false, period, Optional.empty(), Optional.empty());
  }
}
