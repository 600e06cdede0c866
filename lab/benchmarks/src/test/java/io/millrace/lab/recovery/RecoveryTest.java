package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.recovery.JobLog.Kind;
import io.millrace.lab.recovery.JobLog.Step;
import io.millrace.lab.recovery.OutputWatch.Look;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Recovery at 100 rows/s, with ten samples per second. */
class RecoveryTest {
  private static final long SECOND = 1_000_000;
  private static final long FAILED = 100 * SECOND;
  private static final double RATE = 100;
  private static final Recovery.Before BEFORE = new Recovery.Before(SECOND / 5, 20);

  /** Samples of some seconds after the failure; the lag follows from the delay. */
  private static List<Look> looks(int seconds, LongUnaryOperator newestMillis) {
    List<Look> looks = new ArrayList<>();
    for (long millis = 0; millis <= seconds * 1_000L; millis += 100) {
      long at = FAILED + millis * 1_000;
      long newest = FAILED + newestMillis.applyAsLong(millis) * 1_000;
      looks.add(new Look(at, newest, newest * 100 / SECOND, at * 100 / SECOND));
    }
    return looks;
  }

  private static Step step(Kind kind, double second) {
    return new Step(FAILED + (long) (second * SECOND), kind);
  }

  private static final List<Step> STEPS =
      List.of(
          step(Kind.STOPPED, 0.5),
          step(Kind.DEPLOYED, 0.8),
          step(Kind.RUNS, 1.2),
          step(Kind.RUNS, 1.4));

  @Test
  void findsEachTime() {
    // Unaffected subtasks continue for 0.5 s; the job catches up from 2 s to 4 s.
    List<Look> looks =
        looks(
            8,
            millis -> {
              if (millis < 2_000) {
                return Math.min(millis - 200, 300);
              }
              return millis < 4_000 ? 600 + (millis - 2_000) * 8 / 5 : millis - 200;
            });
    Recovery recovery = Recovery.of(FAILED, STEPS, looks, BEFORE, RATE);
    assertThat(recovery.detected()).hasValue(SECOND / 2);
    assertThat(recovery.deployed()).hasValue(8 * SECOND / 10);
    assertThat(recovery.running()).hasValue(14 * SECOND / 10);
    assertThat(recovery.output()).hasValue(2 * SECOND);
    assertThat(recovery.replayed()).hasValue(2 * SECOND);
    assertThat(recovery.caughtUp().orElseThrow()).isBetween(3 * SECOND, 4 * SECOND);
    assertThat(recovery.silence()).isEqualTo(15 * SECOND / 10);
  }

  @Test
  void rowsOfOtherSubtasksBeforeTheStopAreNoRecovery() {
    Recovery recovery =
        Recovery.of(FAILED, STEPS, looks(8, millis -> Math.min(millis, 450)), BEFORE, RATE);
    assertThat(recovery.replayed()).isEmpty();
    assertThat(recovery.caughtUp()).isEmpty();
  }

  @Test
  void outputResumesBeforeTheReplayOfOldRowsEnds() {
    // Rows are rolled back at 1.5 s, stored again from 2 s on, and newer ones from 3 s on.
    List<Look> looks =
        looks(8, millis -> millis < 3_000 ? Math.min(millis, 400) : millis - 100).stream()
            .map(
                look -> {
                  long millis = (look.atMicros() - FAILED) / 1_000;
                  long rows = 10_000 + Math.min(millis, 400) / 10;
                  if (millis >= 1_500) {
                    rows = 9_800 + Math.max(0, millis - 1_900) / 5;
                  }
                  return new Look(look.atMicros(), look.newestMicros(), rows, look.logged());
                })
            .toList();
    Recovery recovery = Recovery.of(FAILED, STEPS, looks, BEFORE, RATE);
    assertThat(recovery.output()).hasValue(2 * SECOND);
    assertThat(recovery.replayed()).hasValue(3 * SECOND);
  }

  @Test
  void aMomentOfFreshRowsIsNoRecovery() {
    List<Look> now = looks(8, millis -> millis / 1_000 % 2 == 0 ? millis - 100 : millis - 900);
    assertThat(Recovery.of(FAILED, STEPS, now, BEFORE, RATE).caughtUp()).isEmpty();
    List<Look> later = looks(8, millis -> millis < 5_000 ? millis - 900 : millis - 100);
    Recovery recovery = Recovery.of(FAILED, STEPS, later, BEFORE, RATE);
    assertThat(recovery.replayed()).hasValue(15 * SECOND / 10);
    assertThat(recovery.caughtUp()).hasValue(5 * SECOND);
  }

  @Test
  void rowsMissingAfterTheNewestOneCount() {
    List<Look> looks =
        looks(8, millis -> millis - 100).stream()
            .map(look -> new Look(look.atMicros(), look.newestMicros(), 0, look.logged()))
            .toList();
    assertThat(Recovery.of(FAILED, STEPS, looks, BEFORE, RATE).caughtUp()).isEmpty();
  }

  @Test
  void aPauseWithoutRestartEndsWithTheNextRow() {
    List<Look> looks = looks(8, millis -> millis < 200 || millis > 3_300 ? millis - 100 : 50);
    Recovery recovery = Recovery.of(FAILED, List.of(), looks, BEFORE, RATE);
    assertThat(recovery.output()).hasValue(34 * SECOND / 10);
    assertThat(recovery.silence()).isEqualTo(32 * SECOND / 10);
    assertThat(recovery.caughtUp()).hasValue(34 * SECOND / 10);
  }

  @Test
  void theStateBeforeIsAMedian() {
    assertThat(Recovery.Before.of(looks(2, millis -> millis - 250)))
        .isEqualTo(new Recovery.Before(250_000, 25));
  }

  @Test
  void theLastRestartCounts() {
    List<Step> twice =
        List.of(
            step(Kind.STOPPED, 0.5),
            step(Kind.DEPLOYED, 0.8),
            step(Kind.RUNS, 1.0),
            step(Kind.STOPPED, 1.5),
            step(Kind.DEPLOYED, 1.9),
            step(Kind.RUNS, 2.2));
    Recovery recovery =
        Recovery.of(
            FAILED, twice, looks(8, millis -> millis < 3_000 ? 0 : millis - 100), BEFORE, RATE);
    assertThat(recovery.detected()).hasValue(SECOND / 2);
    assertThat(recovery.deployed()).hasValue(19 * SECOND / 10);
    assertThat(recovery.running()).hasValue(22 * SECOND / 10);
    assertThat(recovery.output()).hasValue(3 * SECOND);
  }
}
