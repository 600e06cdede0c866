package io.millrace.lab.siege;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.harness.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Losses and missed targets. */
class OutcomeTest {
  private static final Outcome QUIET = outcome("quiet", 100_000, 100_000, 0, 0, 10_000, 200);

  private static Outcome outcome(
      String attack, long sent, long stored, long kernel, long gateways, double rate, double p99) {
    return new Outcome(
        attack,
        List.of(),
        10,
        0,
        sent,
        stored,
        kernel,
        gateways,
        0,
        400,
        rate,
        p99,
        1_500,
        5_000,
        40,
        60,
        3,
        new Outcome.Cores(1.2, 0.3),
        new Outcome.After(100, 1, 200, 150),
        "");
  }

  private static List<String> missed(Outcome outcome) {
    return outcome.figures(QUIET).stream()
        .filter(f -> f.target().filter(t -> !t.isMetBy(f.value())).isPresent())
        .map(Figure::metric)
        .toList();
  }

  @Test
  void figuresAsWithoutAttackMissNothing() {
    assertThat(missed(QUIET)).isEmpty();
    assertThat(missed(outcome("held", 100_000, 100_000, 0, 0, 8_000, 600))).isEmpty();
  }

  @Test
  void kernelDropsAreNotLossesButHaveTheirOwnLimit() {
    assertThat(missed(outcome("held", 100_000, 99_990, 10, 0, 10_000, 200))).isEmpty();
    assertThat(missed(outcome("held", 100_000, 99_989, 11, 0, 10_000, 200)))
        .containsExactly("kernel_lost_rows");
  }

  @Test
  void reportsAMissingOrDuplicateRowAndAMissingRecord() {
    for (Outcome wrong :
        List.of(
            outcome("held", 100_000, 99_989, 10, 0, 10_000, 200),
            outcome("held", 100_000, 100_001, 0, 0, 10_000, 200),
            outcome("held", 100_000, 100_000, 0, 1, 10_000, 200),
            outcome("held", 100_000, 99_999, 0, -1, 10_000, 200))) {
      assertThat(missed(wrong)).containsExactly("lost_rows");
    }
  }

  @Test
  void reportsTooSlowAndTooOldAsMissed() {
    assertThat(missed(outcome("held", 100_000, 100_000, 0, 0, 7_999, 601)))
        .containsExactly("ratio", "p99_ratio");
  }

  @Test
  void everyFigureNamesItsAttack() {
    assertThat(outcome("held", 1, 1, 0, 0, 1, 1).figures(QUIET))
        .allSatisfy(f -> assertThat(f.params()).containsEntry("attack", "held"))
        .extracting(Figure::metric)
        .contains("lost_rows", "kernel_lost_rows", "ratio", "p99_ratio")
        .contains("rss_mib", "pause_ms", "metrics_ms");
  }
}
