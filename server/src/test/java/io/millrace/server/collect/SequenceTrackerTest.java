package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SequenceTrackerTest {
  private final SequenceTracker tracker = new SequenceTracker();
  private long arrived;

  @Test
  void countsWhatIsInAGapAsSentAndMissing() {
    observe(100, 101, 105);
    assertCounts(6, 3, 0, 0, 0, 0);
  }

  @Test
  void lateDatagramTakesItsGapBack() {
    observe(100, 103, 101);
    assertCounts(4, 1, 0, 1, 0, 0);
    observe(102);
    assertCounts(4, 0, 0, 2, 0, 0);
  }

  @Test
  void datagramThatArrivesOnceMoreIsADuplicate() {
    observe(100, 101, 101, 100);
    assertCounts(2, 0, 2, 0, 0, 0);
  }

  @Test
  void datagramFromBeforeTheFirstWasSentAndNeverMissed() {
    observe(100, 99, 99);
    assertCounts(2, 0, 1, 1, 0, 0);
  }

  @Test
  void numbersWrapBehindTheLast32BitNumber() {
    observe(-2, -1, 1);
    assertCounts(4, 1, 0, 0, 0, 0);
    observe(0);
    assertCounts(4, 0, 0, 1, 0, 0);
  }

  @Test
  void restartedAgentBeginsAnew() {
    observe(5_000, 5_001);
    arrived += 2;
    tracker.observe(1, 500);
    tracker.observe(2, 600);
    assertCounts(4, 0, 0, 0, 1, 0);
  }

  @Test
  void restartIsSeenAlsoWhenTheNumbersAreCloseOrAhead() {
    observe(5, 6);
    arrived++;
    tracker.observe(9, 500);
    assertCounts(3, 0, 0, 0, 1, 0);
  }

  @Test
  void uptimeWrapsWithoutARestart() {
    arrived += 2;
    tracker.observe(7, -100);
    tracker.observe(8, 100);
    assertCounts(2, 0, 0, 0, 0, 0);
  }

  @Test
  void strayNumberCountsForOneDatagramOnly() {
    observe(100, 1_000_000_000, 101, 102);
    assertCounts(4, 0, 0, 0, 0, 1);
  }

  @Test
  void longGapIsBelievedWithTheNextDatagram() {
    observe(100, 1_000_100);
    assertThat(tracker.onProbation()).isTrue();
    observe(1_000_101);
    assertCounts(1_000_002, 999_999, 0, 0, 0, 0);
    observe(1_000_099);
    assertCounts(1_000_002, 999_998, 0, 1, 0, 0);
  }

  @Test
  void numbersThatGoOnFarBehindAreARestartWithoutUptime() {
    observe(100_000, 1, 2);
    assertCounts(3, 0, 0, 0, 1, 0);
  }

  @Test
  void stateIsTakenUpWhereItWasLeft() throws IOException {
    observe(100, 105, 103);
    ByteArrayOutputStream state = new ByteArrayOutputStream();
    tracker.snapshot(new DataOutputStream(state));
    SequenceTracker other = new SequenceTracker();
    other.restore(new DataInputStream(new ByteArrayInputStream(state.toByteArray())));
    assertThat(other.observe(103, 100_000)).isZero();
    assertThat(other.observe(104, 100_000)).isEqualTo(-1);
    assertThat(other.duplicates()).isEqualTo(1);
    assertThat(other.missing()).isEqualTo(2);
  }

  private void observe(int... sequences) {
    for (int sequence : sequences) {
      arrived++;
      tracker.observe(sequence, 100_000);
    }
  }

  private void assertCounts(
      long sent, long missing, long duplicates, long late, long resets, long strays) {
    assertThat(
            new long[] {
              tracker.sent(),
              tracker.missing(),
              tracker.duplicates(),
              tracker.late(),
              tracker.resets(),
              tracker.strays()
            })
        .as("sent, missing, duplicates, late, resets, strays")
        .containsExactly(sent, missing, duplicates, late, resets, strays);
    assertThat(tracker.sent()).isEqualTo(arrived - tracker.duplicates() + tracker.missing());
  }
}
