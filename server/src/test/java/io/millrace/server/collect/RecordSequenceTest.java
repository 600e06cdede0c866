package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class RecordSequenceTest {
  private static final int UPTIME = 3_600_000;

  private final RecordSequence sequence = new RecordSequence();

  @Test
  void theFirstDatagramIsNoLoss() {
    sequence.observe(1_000, 30, UPTIME, 0);
    sequence.observe(1_030, 30, UPTIME + 1, 0);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aGapIsTheRecordsBetween() {
    sequence.observe(0, 30, UPTIME, 0);
    sequence.observe(75, 10, UPTIME + 1, 0);
    sequence.observe(85, 10, UPTIME + 2, 0);
    assertThat(sequence.lost()).isEqualTo(45);
  }

  @Test
  void aLateDatagramTakesItsRecordsBack() {
    sequence.observe(0, 30, UPTIME, 0);
    sequence.observe(60, 30, UPTIME + 2, 0);
    sequence.observe(30, 30, UPTIME + 1, 0);
    sequence.observe(90, 30, UPTIME + 3, 0);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void whatComesTwiceTakesNothingBack() {
    sequence.observe(0, 30, UPTIME, 0);
    sequence.observe(60, 30, UPTIME, 0); // 30 are lost
    sequence.observe(60, 30, UPTIME, 0);
    sequence.observe(0, 30, UPTIME, 0);
    sequence.observe(90, 30, UPTIME, 0);
    assertThat(sequence.lost()).isEqualTo(30);
    assertThat(sequence.duplicates()).isEqualTo(2);
    assertThat(sequence.late()).isZero();
  }

  @Test
  void aGapIsFilledFromAnySideAndOnlyOnce() {
    sequence.observe(0, 10, UPTIME, 0);
    sequence.observe(50, 10, UPTIME, 0); // 10 to 50 are missing
    sequence.observe(20, 10, UPTIME, 0); // in its middle
    sequence.observe(20, 10, UPTIME, 0);
    sequence.observe(40, 10, UPTIME, 0); // its end
    sequence.observe(10, 10, UPTIME, 0); // its begin
    assertThat(sequence.lost()).isEqualTo(10);
    sequence.observe(30, 10, UPTIME, 0); // the rest
    sequence.observe(60, 10, UPTIME, 0);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.late()).isEqualTo(4);
    assertThat(sequence.duplicates()).isEqualTo(1);
  }

  @Test
  void whatWasSentBeforeTheFirstWasNeverMissed() {
    sequence.observe(100, 10, UPTIME, 0);
    sequence.observe(90, 10, UPTIME, 0);
    sequence.observe(110, 10, UPTIME, 0);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.late()).isEqualTo(1);
    assertThat(sequence.duplicates()).isZero();
  }

  @Test
  void ofMoreGapsThanAreKeptTheOldestStayLost() {
    int number = 0;
    for (int i = 0; i <= RecordSequence.GAPS + 1; i++, number += 20) { // one gap fewer than turns
      sequence.observe(number, 10, UPTIME, 0);
    }
    assertThat(sequence.lost()).isEqualTo(10 * (RecordSequence.GAPS + 1));
    sequence.observe(10, 10, UPTIME, 0); // in the forgotten gap
    assertThat(sequence.lost()).isEqualTo(10 * (RecordSequence.GAPS + 1));
    sequence.observe(30, 10, UPTIME, 0); // in the oldest that is known
    assertThat(sequence.lost()).isEqualTo(10 * RecordSequence.GAPS);
    assertThat(sequence.late()).isEqualTo(2);
  }

  @Test
  void aGapDoesNotOutliveTheNumbersThatWrap() {
    sequence.observe(0, 10, UPTIME, 0);
    sequence.observe(20, 10, UPTIME, 0); // 10 to 20 are lost
    int number = 30;
    int step = RecordSequence.MAX_JUMP;
    for (long sent = 30; sent < (1L << 32) + 30; sent += step, number += step) {
      sequence.observe(number, step, UPTIME, 0);
    }
    sequence.observe(10, 10, UPTIME, 0); // of the second round, and a duplicate
    assertThat(sequence.lost()).isEqualTo(10);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aRestartBeginsAnewWithoutLoss() {
    sequence.observe(5_000, 30, UPTIME, 0);
    sequence.observe(0, 30, 10, 0);
    sequence.observe(35, 30, 20, 0);
    assertThat(sequence.lost()).isEqualTo(5);
    assertThat(sequence.resets()).isEqualTo(1);
  }

  @Test
  void numbersWrap() {
    sequence.observe(-20, 15, UPTIME, 0);
    sequence.observe(5, 10, UPTIME, 0);
    sequence.observe(15, 10, UPTIME, 0);
    assertThat(sequence.lost()).isEqualTo(10);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void uptimeWraps() {
    sequence.observe(0, 10, -5, 0);
    sequence.observe(10, 10, 5, 0);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aFarJumpIsANewPlaceAndNoLoss() {
    sequence.observe(0, 10, UPTIME, 0);
    sequence.observe(10 + RecordSequence.MAX_JUMP, 10, UPTIME, 0);
    assertThat(sequence.lost()).isEqualTo(RecordSequence.MAX_JUMP);
    sequence.observe(21 + 2 * RecordSequence.MAX_JUMP, 10, UPTIME, 0);
    assertThat(sequence.lost()).isEqualTo(RecordSequence.MAX_JUMP);
    assertThat(sequence.resets()).isEqualTo(1);
    sequence.observe(0, 10, UPTIME, 0);
    assertThat(sequence.resets()).isEqualTo(2);
  }

  @Test
  void goesOnWhereItsSnapshotStood() throws IOException {
    sequence.observe(0, 10, UPTIME, 0);
    sequence.observe(20, 10, UPTIME, 0);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    sequence.snapshot(new DataOutputStream(bytes));
    RecordSequence restored = new RecordSequence();
    restored.restore(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())), true);
    restored.observe(35, 10, UPTIME, 0);
    assertThat(restored.lost()).isEqualTo(15);
    assertThat(restored.resets()).isZero();
  }
}
