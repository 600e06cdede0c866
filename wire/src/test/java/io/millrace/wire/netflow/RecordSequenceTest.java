package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecordSequenceTest {
  private static final int UPTIME = 3_600_000;

  private RecordSequence sequence = new RecordSequence();

  @Test
  void theFirstDatagramIsNoLoss() {
    observe(1_000, 30, UPTIME);
    observe(1_030, 30, UPTIME + 1);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aGapIsTheRecordsBetween() {
    observe(0, 30, UPTIME);
    observe(75, 10, UPTIME + 1);
    observe(85, 10, UPTIME + 2);
    assertThat(sequence.lost()).isEqualTo(45);
  }

  @Test
  void aLateDatagramTakesItsRecordsBack() {
    observe(0, 30, UPTIME);
    observe(60, 30, UPTIME + 2);
    observe(30, 30, UPTIME + 1);
    observe(90, 30, UPTIME + 3);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void duplicatesRevokeNoLoss() {
    observe(0, 30, UPTIME);
    observe(60, 30, UPTIME); // 30 are lost
    observe(60, 30, UPTIME);
    observe(0, 30, UPTIME);
    observe(90, 30, UPTIME);
    assertThat(sequence.lost()).isEqualTo(30);
    assertThat(sequence.duplicates()).isEqualTo(2);
    assertThat(sequence.late()).isZero();
  }

  @Test
  void aGapIsFilledFromAnySideAndOnlyOnce() {
    observe(0, 10, UPTIME);
    observe(50, 10, UPTIME); // 10 to 50 are missing
    observe(20, 10, UPTIME); // in the middle of the gap
    observe(20, 10, UPTIME);
    observe(40, 10, UPTIME); // at its end
    observe(10, 10, UPTIME); // at its start
    assertThat(sequence.lost()).isEqualTo(10);
    observe(30, 10, UPTIME); // the rest
    observe(60, 10, UPTIME);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.late()).isEqualTo(4);
    assertThat(sequence.duplicates()).isEqualTo(1);
  }

  @Test
  void numbersBeforeTheFirstAreNotLost() {
    observe(100, 10, UPTIME);
    observe(90, 10, UPTIME);
    observe(110, 10, UPTIME);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.late()).isEqualTo(1);
    assertThat(sequence.duplicates()).isZero();
  }

  @Test
  void tooManyGapsLoseTheOldest() {
    int number = 0;
    for (int i = 0; i <= SequenceGaps.MAX + 1; i++, number += 20) { // one gap fewer than iterations
      observe(number, 10, UPTIME);
    }
    assertThat(sequence.lost()).isEqualTo(10 * (SequenceGaps.MAX + 1));
    observe(10, 10, UPTIME); // in the evicted gap
    assertThat(sequence.lost()).isEqualTo(10 * (SequenceGaps.MAX + 1));
    observe(30, 10, UPTIME); // in the oldest tracked gap
    assertThat(sequence.lost()).isEqualTo(10 * SequenceGaps.MAX);
    assertThat(sequence.late()).isEqualTo(2);
  }

  @Test
  void aGapDoesNotOutliveTheNumbersThatWrap() {
    observe(0, 10, UPTIME);
    observe(20, 10, UPTIME); // 10 to 20 are lost
    int number = 30;
    int step = RecordSequence.MAX_JUMP;
    for (long sent = 30; sent < (1L << 32) + 30; sent += step, number += step) {
      observe(number, step, UPTIME);
    }
    observe(10, 10, UPTIME); // late from the second exporter, and a duplicate
    assertThat(sequence.lost()).isEqualTo(10);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aRestartCountsNoLoss() {
    observe(5_000, 30, UPTIME);
    sequence.observe(0, 30, 10, true, 0);
    observe(35, 30, 20);
    assertThat(sequence.lost()).isEqualTo(5);
    assertThat(sequence.resets()).isEqualTo(1);
    assertThat(sequence.doubts()).isZero();
  }

  @Test
  void numbersWrap() {
    observe(-20, 15, UPTIME);
    observe(5, 10, UPTIME);
    observe(15, 10, UPTIME);
    assertThat(sequence.lost()).isEqualTo(10);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aLeapThatNoExporterCanHaveCountedIsADoubtAndNoLoss() {
    observe(0, 10, UPTIME);
    observe(10 + RecordSequence.MAX_JUMP, 10, UPTIME);
    assertThat(sequence.lost()).isEqualTo(RecordSequence.MAX_JUMP);
    observe(21 + 2 * RecordSequence.MAX_JUMP, 10, UPTIME);
    assertThat(sequence.lost()).isEqualTo(RecordSequence.MAX_JUMP);
    assertThat(sequence.doubts()).isEqualTo(1);
    observe(0, 10, UPTIME);
    assertThat(sequence.resets()).isEqualTo(1);
  }

  @Test
  void aLongGapIsBelievedWhereThereWasTimeForIt() {
    observe(0, 10, UPTIME);
    sequence.observe(3_000_010, 10, UPTIME + 1_000, false, 1_000);
    assertThat(sequence.lost()).isEqualTo(3_000_000);
    sequence.observe(3_000_020 + RecordSequence.MAX_GAP + 1, 10, UPTIME, false, 3_600_000);
    assertThat(sequence.lost()).isEqualTo(3_000_000);
    assertThat(sequence.doubts()).isEqualTo(1);
  }

  @Test
  void twoExportersOfOneNameLoseNothing() {
    for (int apart : new int[] {40_000, 1_000_000, 16_000_000, Integer.MIN_VALUE}) {
      for (int uptime : new int[] {UPTIME, UPTIME - 30_000, 500_000_000}) { // the second exporter
        sequence = new RecordSequence();
        for (int turn = 0; turn < 20; turn++) {
          for (int i = 0; i < 5; i++) {
            int number = 30 * (turn * 5 + i);
            sequence.observe(number, 30, UPTIME + turn * 100, false, turn * 100L);
          }
          for (int i = 0; i < 5; i++) {
            int number = apart + 30 * (turn * 5 + i);
            int clock = uptime + turn * 100;
            boolean restarted = i == 0 && uptime < UPTIME; // as it appears
            sequence.observe(number, 30, clock, restarted, turn * 100L);
          }
        }
        assertThat(sequence.lost()).as("%d apart, uptime %d", apart, uptime).isZero();
        assertThat(sequence.doubts()).isPositive();
      }
    }
  }

  /** A forged number and time make messages late for a while; counting continues where it was. */
  @Test
  void aForgedMessageCausesNoLastingLoss() {
    int number = 0;
    for (int turn = 0; turn < 10; turn++) {
      int clock = UPTIME + turn * 60_000;
      for (int i = 0; i < 1_000; i++, number += 30) {
        sequence.observe(number, 30, clock + i * 60, false, clock + i * 60);
        if (i == 100) {
          sequence.observe(number + 900_000, 30, clock + 30_000, false, clock + i * 60);
        }
      }
    }
    assertThat(sequence.lost()).isLessThanOrEqualTo(900_000);
    assertThat(sequence.doubts()).isPositive();
  }

  @Test
  void goesOnWhereItsSnapshotStood() {
    observe(0, 10, UPTIME);
    observe(20, 10, UPTIME);
    observe(500_000, 10, UPTIME);
    RecordSequence restored = new RecordSequence();
    restored.restore(sequence.snapshot());
    assertThat(restored.snapshot()).isEqualTo(sequence.snapshot());
    restored.observe(30, 10, UPTIME, false, 0);
    restored.observe(45, 10, UPTIME, false, 0);
    assertThat(restored.lost()).isEqualTo(15);
    assertThat(restored.doubts()).isEqualTo(1);
    assertThat(restored.resets()).isZero();
  }

  private void observe(int number, int records, int uptime) {
    sequence.observe(number, records, uptime, false, 0);
  }
}
