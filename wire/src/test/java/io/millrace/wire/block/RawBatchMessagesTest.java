package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawBatchMessagesTest {
  private static final byte[] LONG = new byte[100_000];

  private static byte[] value(boolean isDelimited) {
    RawBatch.Writer writer = RawBatch.Writer.ofMessages(isDelimited);
    writer.addMessage(5, -7, 1L << 40, new byte[] {9, 1, 2}, 1, 2);
    writer.addMessage(6, 8, 3, LONG, 0, LONG.length);
    return writer.toBytes();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messagesKeepTimeSourceOffsetAndBytesAndAreReadInOrder(boolean isDelimited) {
    RawBatch batch = RawBatch.wrap(value(isDelimited), 1, 2);
    assertThat(batch.isSound()).isTrue();
    assertThat(batch.isMessages()).isTrue();
    assertThat(batch.requiresOrder()).isTrue();
    assertThat(batch.isDelimited()).isEqualTo(isDelimited);
    assertThat(batch.rows()).isEqualTo(2);
    int first = batch.first();
    assertThat(batch.time(first)).isEqualTo(5);
    assertThat(batch.source(first)).isEqualTo(-7);
    assertThat(batch.sourceOffset(first)).isEqualTo(1L << 40);
    assertThat(
            Arrays.copyOfRange(
                batch.bytes(),
                batch.payload(first),
                batch.payload(first) + batch.payloadLength(first)))
        .containsExactly(1, 2);
    int second = batch.next(first);
    assertThat(batch.source(second)).isEqualTo(8);
    assertThat(batch.payloadLength(second)).as("more than a datagram").isEqualTo(LONG.length);
    assertThat(batch.next(second)).isEqualTo(batch.length());
  }

  @ParameterizedTest
  @ValueSource(bytes = {(byte) 0xFF, 0x7F})
  void aLengthThatPointsOutsideIsNotSound(byte top) {
    byte[] value = value(false);
    value[RawBatch.HEADER_LENGTH + 24] = top;
    assertThat(RawBatch.wrap(value, 0, 0).isSound()).isFalse();
  }

  @Test
  void datagramsAreNoMessages() {
    RawBatch.Writer writer = new RawBatch.Writer(0);
    writer.add(1, 2, 3, 4, new byte[] {5}, 0, 1);
    RawBatch batch = RawBatch.wrap(writer.toBytes(), 0, 0);
    assertThat(batch.isMessages()).isFalse();
    assertThat(batch.isDelimited()).isFalse();
  }
}
