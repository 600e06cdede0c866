package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.FlowQuery.Measure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FlowQueryTest {
  private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

  private static FlowQuery between(Instant from, Instant to) {
    return FlowQuery.top(
        List.of("as"),
        Measure.BITS,
        Optional.of(from),
        Optional.of(to),
        Optional.empty(),
        10,
        Store.FLOWS);
  }

  @Test
  void anInvertedWindowIsRejected() {
    assertThatThrownBy(() -> between(NOON, NOON.minusSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("top: from 2026-01-31T12:00:00Z is not before to 2026-01-31T11:59:59Z");
    assertThat(between(NOON, NOON).to()).contains(NOON); // one of nothing
  }

  @Test
  void lengthsOfTimeAreWrittenInAnyUnit() {
    assertThat(FlowQuery.duration("last", "300")).isEqualTo(FlowQuery.duration("last", "5m"));
    assertThat(FlowQuery.duration("last", "20y")).isEqualTo(FlowQuery.duration("last", "7300d"));
    assertThat(FlowQuery.duration("last", "2w")).isEqualTo(Duration.ofDays(14));
    assertThat(FlowQuery.duration("last", "999999999y")).isPositive(); // longer than all nanos
    for (String none : List.of("", "y", "1.5h", "-5m", "5 years", "5e")) {
      assertThatThrownBy(() -> FlowQuery.duration("last", none))
          .hasMessageStartingWith("last: " + none + ": invalid duration");
    }
  }
}
