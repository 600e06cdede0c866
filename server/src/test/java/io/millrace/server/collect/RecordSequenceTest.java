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
    sequence.observe(1_000, 30, UPTIME);
    sequence.observe(1_030, 30, UPTIME + 1);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aGapIsTheRecordsBetween() {
    sequence.observe(0, 30, UPTIME);
    sequence.observe(75, 10, UPTIME + 1);
    sequence.observe(85, 10, UPTIME + 2);
    assertThat(sequence.lost()).isEqualTo(45);
  }

  @Test
  void aLateDatagramTakesItsRecordsBack() {
    sequence.observe(0, 30, UPTIME);
    sequence.observe(60, 30, UPTIME + 2);
    sequence.observe(30, 30, UPTIME + 1);
    sequence.observe(90, 30, UPTIME + 3);
    assertThat(sequence.lost()).isZero();
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void whatComesTwiceIsNeverLessThanNoLoss() {
    sequence.observe(0, 30, UPTIME);
    sequence.observe(0, 30, UPTIME);
    sequence.observe(30, 30, UPTIME);
    assertThat(sequence.lost()).isZero();
  }

  @Test
  void aRestartBeginsAnewWithoutLoss() {
    sequence.observe(5_000, 30, UPTIME);
    sequence.observe(0, 30, 10);
    sequence.observe(35, 30, 20);
    assertThat(sequence.lost()).isEqualTo(5);
    assertThat(sequence.resets()).isEqualTo(1);
  }

  @Test
  void numbersWrap() {
    sequence.observe(-20, 15, UPTIME);
    sequence.observe(5, 10, UPTIME);
    sequence.observe(15, 10, UPTIME);
    assertThat(sequence.lost()).isEqualTo(10);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void uptimeWraps() {
    sequence.observe(0, 10, -5);
    sequence.observe(10, 10, 5);
    assertThat(sequence.resets()).isZero();
  }

  @Test
  void aFarJumpIsANewPlaceAndNoLoss() {
    sequence.observe(0, 10, UPTIME);
    sequence.observe(10 + RecordSequence.MAX_JUMP, 10, UPTIME);
    assertThat(sequence.lost()).isEqualTo(RecordSequence.MAX_JUMP);
    sequence.observe(21 + 2 * RecordSequence.MAX_JUMP, 10, UPTIME);
    assertThat(sequence.lost()).isEqualTo(RecordSequence.MAX_JUMP);
    assertThat(sequence.resets()).isEqualTo(1);
    sequence.observe(0, 10, UPTIME);
    assertThat(sequence.resets()).isEqualTo(2);
  }

  @Test
  void goesOnWhereItsSnapshotStood() throws IOException {
    sequence.observe(0, 10, UPTIME);
    sequence.observe(20, 10, UPTIME);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    sequence.snapshot(new DataOutputStream(bytes));
    RecordSequence restored = new RecordSequence();
    restored.restore(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    restored.observe(35, 10, UPTIME);
    assertThat(restored.lost()).isEqualTo(15);
    assertThat(restored.resets()).isZero();
  }
}
