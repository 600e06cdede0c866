package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SequenceTrackerTest {
  private SequenceTracker tracker = new SequenceTracker();
  private long arrived;

  @Test
  void countsGapsAsSentAndMissing() {
    observe(100, 101, 105);
    assertCounts(6, 3, 0, 0, 0, 0);
  }

  @Test
  void lateDatagramsFillTheirGap() {
    observe(100, 103, 101);
    assertCounts(4, 1, 0, 1, 0, 0);
    observe(102);
    assertCounts(4, 0, 0, 2, 0, 0);
  }

  @Test
  void repeatedDatagramsAreDuplicates() {
    observe(100, 101, 101, 100);
    assertCounts(2, 0, 2, 0, 0, 0);
  }

  @Test
  void datagramsBeforeTheFirstCountAsSent() {
    observe(100, 99, 99);
    assertCounts(2, 0, 1, 1, 0, 0);
  }

  @Test
  void numbersWrapAfterTheLast32BitNumber() {
    observe(-2, -1, 1);
    assertCounts(4, 1, 0, 0, 0, 0);
    observe(0);
    assertCounts(4, 0, 0, 1, 0, 0);
  }

  @Test
  void numbersOfARestartedAgentRestart() {
    observe(5_000, 5_001);
    arrived += 2;
    tracker.observe(1, 500, 0);
    tracker.observe(2, 600, 0);
    assertCounts(4, 0, 0, 0, 1, 0);
  }

  @Test
  void restartsAreDetectedWithCloseOrHigherNumbers() {
    observe(5, 6);
    arrived++;
    tracker.observe(9, 500, 0);
    assertCounts(3, 0, 0, 0, 1, 0);
  }

  @Test
  void uptimeWrapsWithoutARestart() {
    arrived += 2;
    tracker.observe(7, -100, 0);
    tracker.observe(8, 100, 0);
    assertCounts(2, 0, 0, 0, 0, 0);
  }

  @Test
  void strayNumbersCountAsOneDatagram() {
    observe(100, 1_000_000_000, 101, 102);
    assertCounts(4, 0, 0, 0, 0, 1);
  }

  @Test
  void longGapsAreConfirmedByTheNextDatagram() {
    observe(100);
    arrived++;
    tracker.observe(1_000_100, 100_000, 60_000); // a minute later
    assertThat(tracker.onProbation()).isTrue();
    observe(1_000_101);
    assertCounts(1_000_002, 999_999, 0, 0, 0, 0);
    observe(1_000_099);
    assertCounts(1_000_002, 999_998, 0, 1, 0, 0);
  }

  /** Uptimes of an agent that ran for 24.9 to 49.7 days are negative numbers of 32 bits. */
  @Test
  void restartsAfterAMonthAreDetected() {
    for (long days : new long[] {1, 24, 25, 30, 40, 49}) {
      tracker = new SequenceTracker();
      tracker.observe(70_000, (int) (days * 86_400_000), 0);
      tracker.observe(1, 10_000, 30_000);
      tracker.observe(2, 11_000, 1_000);
      assertThat(tracker.resets()).as("after %d days", days).isEqualTo(1);
      assertThat(tracker.sent()).isEqualTo(3);
      assertThat(tracker.missing()).isZero();
    }
  }

  @Test
  void uptimeWrapsDuringSilenceAreNoRestart() {
    int hour = 3_600_000;
    tracker.observe(7, -hour, 0);
    tracker.observe(8, hour, 2L * hour);
    assertThat(tracker.resets()).isZero();
  }

  @Test
  void impossibleJumpsAreNoLoss() {
    observe(100, Integer.MAX_VALUE - 5, Integer.MAX_VALUE - 4, Integer.MAX_VALUE - 3);
    assertCounts(4, 0, 0, 0, 0, 0);
    assertThat(tracker.doubts()).isEqualTo(1);
    tracker = new SequenceTracker();
    arrived = 0;
    observe(0, 0x4000_0000, 0x4000_0001, 0x7FFF_0000, 0x7FFF_0001, 5, 6);
    assertThat(tracker.missing()).isZero();
    assertThat(tracker.doubts() + tracker.resets()).isEqualTo(3);
  }

  @Test
  void twoAgentsOfOneNameLoseNothing() {
    for (int uptime : new int[] {100_000, 500_000_000}) { // of the second
      tracker = new SequenceTracker();
      for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < 5; i++) {
          tracker.observe(1_000 + turn * 5 + i, 100_000, 10);
        }
        for (int i = 0; i < 5; i++) {
          tracker.observe(40_000 + turn * 5 + i, uptime, 10);
        }
      }
      assertThat(tracker.missing()).isZero();
      assertThat(tracker.sent()).isEqualTo(200);
      assertThat(tracker.doubts()).isPositive();
    }
  }

  @Test
  void muchLowerNumbersAreARestartWithoutUptime() {
    observe(100_000, 1, 2);
    assertCounts(3, 0, 0, 0, 1, 0);
  }

  @Test
  void stateIsRestored() throws IOException {
    observe(100, 105, 103);
    ByteArrayOutputStream state = new ByteArrayOutputStream();
    tracker.snapshot(new DataOutputStream(state));
    SequenceTracker other = new SequenceTracker();
    other.restore(new DataInputStream(new ByteArrayInputStream(state.toByteArray())));
    assertThat(other.observe(103, 100_000, 0)).isZero();
    assertThat(other.observe(104, 100_000, 0)).isEqualTo(-1);
    assertThat(other.duplicates()).isEqualTo(1);
    assertThat(other.missing()).isEqualTo(2);
  }

  private void observe(int... sequences) {
    for (int sequence : sequences) {
      arrived++;
      tracker.observe(sequence, 100_000, 0);
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
