package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Lengths;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.Senders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Growing buffers, tested with each length at which they may grow. */
class GrowingBuffersTest {
  private static final TableSchema TEXTS = TableSchema.builder().text("text").number("n").build();

  @Test
  void textsOfAnyLengthAreWrittenAndRead() {
    for (int length : Lengths.around()) {
      TableBlock block = new TableBlock(TEXTS, 0);
      block.reserve(2);
      block.texts(0).add(Lengths.text(length));
      block.texts(0).add(block.texts(0), 0);
      block.longs(1)[1] = length;
      block.rows(2);
      BlockBuffer out = new BlockBuffer(0);
      BlockCodec.encode(block, out);
      TableBlock read = (TableBlock) BlockCodec.decode(out.bytes(), 0, out.length());
      assertThat(read.texts(0).get(0)).isEqualTo(Lengths.text(length));
      assertThat(read.texts(0).get(1)).isEqualTo(Lengths.text(length));
      assertThat(read.longs(1)[1]).isEqualTo(length);
    }
  }

  @Test
  void rowsOfAnyNumberAreWrittenAndRead() {
    for (int rows : Lengths.around()) {
      TableBlock block = new TableBlock(TEXTS, 0);
      for (int row = 0; row < rows; row++) {
        block.reserve(1);
        block.texts(0).add(row % 2 == 0 ? "a" : null);
        block.longs(1)[row] = row;
        block.rows(row + 1);
      }
      BlockBuffer out = new BlockBuffer(0);
      BlockCodec.encode(block, out);
      TableBlock read = (TableBlock) BlockCodec.decode(out.bytes(), 0, out.length());
      assertThat(read.rows()).isEqualTo(rows);
      assertThat(Arrays.copyOf(read.longs(1), rows)).isEqualTo(Arrays.copyOf(block.longs(1), rows));
    }
  }

  @Test
  void namesOfAnyLengthAreWrittenAndRead() {
    for (int length : Lengths.around()) {
      FlowBlock block = new FlowBlock(0);
      byte[] name = Lengths.text(length).getBytes(StandardCharsets.UTF_8);
      block.names().add(7, name, 0, length);
      block.names().add(8, name, 0, length);
      BlockBuffer out = new BlockBuffer(0);
      BlockCodec.encode(block, out);
      NewNames read = ((FlowBlock) BlockCodec.decode(out.bytes(), 0, out.length())).names();
      assertThat(read.text(0)).isEqualTo(Lengths.text(length));
      assertThat(read.text(1)).isEqualTo(Lengths.text(length));
    }
  }

  @Test
  void datagramsAndMessagesOfAnyLengthAreWrittenAndRead() {
    for (int length : Lengths.around()) {
      byte[] payload = Lengths.bytes(length);
      RawBatch.Writer messages = RawBatch.Writer.ofMessages(false);
      messages.addMessage(1, 2, 3, payload, 0, length);
      assertThat(onlyPayload(messages)).isEqualTo(payload);
      if (length <= 0xFFFF) {
        RawBatch.Writer datagrams = new RawBatch.Writer(0);
        datagrams.add(1, 2, 3, 4, payload, 0, length);
        assertThat(onlyPayload(datagrams)).isEqualTo(payload);
      }
    }
  }

  private static byte[] onlyPayload(RawBatch.Writer writer) {
    RawBatch batch = RawBatch.wrap(writer.toBytes(), 0, 0);
    assertThat(batch.rows()).isEqualTo(1);
    int start = batch.payload(batch.first());
    return Arrays.copyOfRange(batch.bytes(), start, start + batch.payloadLength(batch.first()));
  }

  @Test
  void idsOfSendersAreReadAtAnyLength() {
    for (int length : Lengths.around(Senders.MAX_CLIENT_BYTES)) {
      byte[] client = Lengths.text(length).getBytes(StandardCharsets.UTF_8);
      RecordBatch.Writer writer = new RecordBatch.Writer();
      writer.addSender(client, 9);
      writer.addSender(new byte[] {1, 2, 3}, 10);
      Map<String, Long> senders = new HashMap<>();
      byte[] value = writer.write(GatewayRecords.block(0), GatewayRecords.TIME, 1);
      RecordBatch.wrap(value, value.length).senders(senders::put);
      assertThat(senders).containsEntry(Lengths.text(length), 9L);
    }
  }

  @Test
  void outgoingMessagesOfAnyLengthAreWritten() {
    for (int length : Lengths.around()) {
      byte[] source = Lengths.bytes(length);
      MessageBuffer out = new MessageBuffer();
      out.write(source, 0, length);
      out.write(7);
      assertThat(Arrays.copyOf(out.toBytes(), length)).isEqualTo(source);
      assertThat(out.toBytes()).endsWith(7).hasSize(length + 1);
    }
  }
}
