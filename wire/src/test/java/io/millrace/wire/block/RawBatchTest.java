package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RawBatchTest {
  private static final String GOLDEN = "raw-batch-version-1.bin";
  private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);

  private static byte[] twoDatagrams() {
    RawBatch.Writer writer = new RawBatch.Writer(0);
    writer.add(1_700_000_000_000_001L, 0, Addresses.v4Low(0x01020304), 65_535, HELLO, 1, 3);
    writer.add(-1, 5, 6, 0, ByteBuffer.wrap(HELLO, 2, 0));
    return writer.toBytes();
  }

  /** Rewrites the golden file; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    BlockBuffer buffer = new BlockBuffer(0);
    BlockCodec.encode(RawBatch.wrap(twoDatagrams(), 3, 4), buffer);
    Files.write(Path.of(args[0], GOLDEN), buffer.toBytes());
  }

  @Test
  void readsAndWritesTheBytesOfVersion1() throws IOException {
    byte[] golden;
    try (InputStream in = RawBatchTest.class.getResourceAsStream(GOLDEN)) {
      assertThat(in).as(GOLDEN).isNotNull();
      golden = in.readAllBytes();
    }
    RawBatch batch = (RawBatch) BlockCodec.decode(golden, 0, golden.length);
    assertThat(batch.partition()).isEqualTo(3);
    assertThat(batch.offset()).isEqualTo(4);
    assertThat(batch.isSound()).isTrue();
    assertThat(Arrays.copyOf(batch.bytes(), batch.length())).isEqualTo(twoDatagrams());
    BlockBuffer again = new BlockBuffer(0);
    BlockCodec.encode(batch, again);
    assertThat(again.toBytes()).isEqualTo(golden);
  }

  @Test
  void givesBackWhatWasWritten() {
    RawBatch batch = RawBatch.wrap(twoDatagrams(), 3, 4);

    assertThat(batch.isSound()).isTrue();
    assertThat(batch.rows()).isEqualTo(2);
    assertThat(batch.partition()).isEqualTo(3);
    assertThat(batch.offset()).isEqualTo(4);
    int first = batch.first();
    assertThat(batch.time(first)).isEqualTo(1_700_000_000_000_001L);
    assertThat(batch.senderHigh(first)).isZero();
    assertThat(batch.senderLow(first)).isEqualTo(Addresses.v4Low(0x01020304));
    assertThat(batch.senderPort(first)).isEqualTo(65_535);
    assertThat(batch.payloadLength(first)).isEqualTo(3);
    assertThat(new String(batch.bytes(), batch.payload(first), 3, StandardCharsets.US_ASCII))
        .isEqualTo("ell");
    int second = batch.next(first);
    assertThat(batch.time(second)).isEqualTo(-1);
    assertThat(batch.senderHigh(second)).isEqualTo(5);
    assertThat(batch.senderLow(second)).isEqualTo(6);
    assertThat(batch.payloadLength(second)).isZero();
    assertThat(batch.next(second)).isEqualTo(batch.length());
  }

  @Test
  void isNotSoundWhenCutAnywhere() {
    byte[] whole = twoDatagrams();

    for (int length = 0; length < whole.length; length++) {
      RawBatch cut = RawBatch.wrap(Arrays.copyOf(whole, length), 0, 0);
      assertThat(cut.isSound()).as("%d bytes", length).isFalse();
      assertThat(cut.rows()).isNotNegative();
    }
  }

  @Test
  void isNotSoundWithBytesAfterTheLastDatagram() {
    byte[] whole = twoDatagrams();

    assertThat(RawBatch.wrap(Arrays.copyOf(whole, whole.length + 1), 0, 0).isSound()).isFalse();
  }

  @Test
  void isNotSoundWithNegativeCount() {
    byte[] empty = new RawBatch.Writer(0).toBytes();
    Arrays.fill(empty, 4, 8, (byte) 0xFF);

    assertThat(RawBatch.wrap(empty, 0, 0).isSound()).isFalse();
    assertThat(RawBatch.wrap(empty, 0, 0).rows()).isZero();
  }

  @Test
  void isNotSoundInAnotherVersion() {
    byte[] whole = twoDatagrams();
    whole[3]++;

    assertThat(RawBatch.wrap(whole, 0, 0).isSound()).isFalse();
  }

  @Test
  void writesNothingOfTheDatagramsBeforeClear() {
    RawBatch.Writer writer = new RawBatch.Writer(8);
    writer.add(1, 2, 3, 4, HELLO, 0, 5);
    writer.clear();

    assertThat(writer.count()).isZero();
    assertThat(writer.length()).isEqualTo(RawBatch.HEADER_LENGTH);
    assertThat(RawBatch.wrap(writer.toBytes(), 0, 0).isSound()).isTrue();
  }

  @Test
  void takesTheLongestDatagramAndRejectsALongerOne() {
    RawBatch.Writer writer = new RawBatch.Writer(8);
    writer.add(1, 2, 3, 4, new byte[65_535], 0, 65_535);

    assertThatThrownBy(() -> writer.add(1, 2, 3, 4, new byte[65_536], 0, 65_536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65536");
    assertThat(RawBatch.wrap(writer.toBytes(), 0, 0).isSound()).isTrue();
  }
}
