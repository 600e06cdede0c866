package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No false losses, whatever unit an exporter counts. */
class SequenceMeaningTest {
  /** Unit that exporters count. */
  private enum Counts {
    RECORDS,
    DATAGRAMS,
    FLOWS,
    ONE_TEMPLATE
  }

  private static final int MESSAGES = 400;

  private final Random random = new Random(11);
  private NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();
  private int sequence;

  /** Records of one byte: of two templates, and occasionally of options. */
  private byte[] next(Counts counts, int i) {
    byte[][] sets = new byte[4][];
    int ones = 1 + random.nextInt(9);
    int others = random.nextInt(9);
    int options = i % 3 == 0 ? 1 : 0;
    byte[] templates = shorts(256, 1, 5, 1, 257, 1, 4, 1);
    sets[0] = i == 0 ? set(2, templates) : set(2, new byte[0]);
    sets[1] = i == 0 ? set(3, shorts(258, 1, 1, 149, 1)) : set(256, new byte[0]);
    sets[2] = set(256, filled(ones));
    sets[3] = set(257, filled(others));
    byte[] message =
        options == 0
            ? ipfix(sequence, sets)
            : ipfix(sequence, sets[0], sets[1], sets[2], sets[3], set(258, filled(1)));
    sequence +=
        switch (counts) {
          case RECORDS -> ones + others + options;
          case DATAGRAMS -> 1;
          case FLOWS -> ones + others;
          case ONE_TEMPLATE -> ones;
        };
    return message;
  }

  private static byte[] filled(int bytes) {
    return String.join("", Collections.nCopies(bytes, "a")).getBytes(StandardCharsets.US_ASCII);
  }

  private List<byte[]> messages(Counts counts) {
    List<byte[]> messages = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      messages.add(next(counts, i));
    }
    return messages;
  }

  private void receive(List<byte[]> messages) {
    for (byte[] message : messages) {
      decode(decoder, message, 1, rows);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsLostWhereNothingWas(Counts counts) {
    receive(messages(counts));
    assertThat(rows.notes.lost).isZero();
    assertThat(rows.notes.doubts).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void lossesAreCountedByTheDetectedUnit(Counts counts) {
    receive(messages(counts));
    restore();
    next(counts, 1);
    int before = sequence;
    for (int i = 1; i < 4; i++) {
      next(counts, i);
    }
    int lost = sequence - before;
    receive(List.of(next(counts, 1), next(counts, 2)));
    assertThat(rows.notes.lost).isGreaterThanOrEqualTo(lost).isLessThan(lost + 20);
  }

  @ParameterizedTest
  @EnumSource
  void messagesThatChangePlacesOrComeTwiceAreNotLost(Counts counts) {
    List<byte[]> messages = messages(counts);
    for (int i = 20; i < MESSAGES - 1; i += 1 + random.nextInt(5)) {
      Collections.swap(messages, i, i + 1);
    }
    for (int i = MESSAGES - 1; i > 20; i -= 7) {
      messages.add(i, messages.get(i));
    }
    receive(messages);
    assertThat(rows.notes.lost).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 10})
  void lossesAreNotTakenForAnotherMeaning(int part) {
    List<byte[]> messages = messages(Counts.RECORDS);
    receive(messages.subList(0, 50));
    for (int i = 50; i < MESSAGES; i++) {
      if (i % part != 0) {
        receive(List.of(messages.get(i)));
      }
    }
    assertThat(rows.notes.lost).isBetween((MESSAGES - 50L) / part, 20L * MESSAGES / part);
  }

  @Test
  void numbersOfNoMeaningLoseNothing() {
    List<byte[]> messages = messages(Counts.RECORDS);
    int number = 0;
    for (byte[] message : messages) {
      ByteBuffer.wrap(message).putInt(8, number);
      number += 2_000 + random.nextInt(1_000_000);
    }
    receive(messages);
    assertThat(rows.notes.lost).isZero();
  }

  private void restore() {
    BlockBuffer state = new BlockBuffer(64);
    decoder.snapshot(state);
    decoder =
        NetflowDecoder.restore(
            new BlockInput(state.bytes(), 0, state.length()), NetflowConfig.DEFAULT);
  }
}
