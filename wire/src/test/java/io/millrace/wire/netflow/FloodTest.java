package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.IpLayer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Floods of templates, sessions and data, and impossible lengths: bounded and counted. */
class FloodTest {
  private static final int FLOOD = 100_000;
  private static final NetflowConfig BOUNDS =
      new NetflowConfig(
          100, 50, 300, 16, 40_000, 2, 60_000_000, SamplingDefaults.NONE, IpLayer.OUTER, false);
  private static final byte[] TEMPLATE = shorts(256, 2, 8, 4, 2, 1);

  private final NetflowDecoder decoder = new NetflowDecoder(BOUNDS);
  private final Messages.Rows rows = new Messages.Rows();

  private void from(int exporter, int port, byte[] message) {
    at(1, exporter, port, message);
  }

  private void at(long time, int exporter, int port, byte[] message) {
    long low = Addresses.v4Low(exporter);
    decoder.decode(message, 0, message.length, time, 0, low, port, rows.block, rows.notes);
  }

  private void assertWithinBounds() {
    assertThat(decoder.sessions()).isLessThanOrEqualTo(BOUNDS.maxSessions());
    assertThat(decoder.templates())
        .isLessThanOrEqualTo(BOUNDS.maxAllTemplates())
        .isEqualTo(rows.notes.templates);
    assertThat(decoder.heldBytes())
        .isLessThanOrEqualTo(BOUNDS.maxHeldBytes())
        .isGreaterThanOrEqualTo(rows.notes.held - rows.notes.dropped - rows.notes.decoded);
  }

  @Test
  void templatesOfOneSessionAreBounded() {
    for (int i = 0; i < FLOOD; i++) {
      int id = 256 + i % (0x10000 - 256);
      from(1, 1, v9(set(0, shorts(id, 1, 8, 4))));
    }
    assertThat(decoder.templates()).isEqualTo(BOUNDS.maxTemplates());
    int known = 2 * BOUNDS.maxTemplates(); // twice, since there are only 65,280 ids
    assertThat(rows.notes.rejects)
        .isEqualTo(Map.of(RejectReason.TOO_MANY_TEMPLATES, FLOOD - known));
    assertWithinBounds();
  }

  @Test
  void domainsOfASenderAreBounded() {
    for (int i = 0; i < FLOOD; i++) {
      byte[] message = ipfix(0, set(2, TEMPLATE), set(300, bytes(1, 2, 3)));
      ByteBuffer.wrap(message).putInt(12, i / 2);
      from(1 + i % 2, i & 0xFFFF, message);
    }
    assertThat(decoder.sessions()).isEqualTo(BOUNDS.maxSessions());
    assertThat(rows.notes.evicted).isEqualTo(FLOOD - BOUNDS.maxSessions());
    assertWithinBounds();
  }

  @Test
  void templatesOfASenderAreBounded() {
    for (int i = 0; i < FLOOD; i++) {
      from(1, i / BOUNDS.maxTemplates() % 1000, v9(set(0, shorts(256 + i % 50, 1, 8, 4))));
    }
    assertThat(decoder.templates()).isEqualTo(BOUNDS.maxAllTemplates() / BOUNDS.senderShare());
    assertWithinBounds();
  }

  @Test
  void wideTemplatesCountForSeveral() {
    NetflowConfig wide =
        new NetflowConfig(
            100, 50, 300, 1000, 40_000, 2, 60_000_000, SamplingDefaults.NONE, IpLayer.OUTER, false);
    NetflowDecoder other = new NetflowDecoder(wide);
    int[] wider = new int[2 + 2 * 4 * Template.WEIGHT_FIELDS];
    Arrays.fill(wider, 4);
    wider[1] = (wider.length - 2) / 2;
    for (int port = 0; port < 10; port++) {
      for (int id = 256; id < 256 + 40; id++) {
        wider[0] = id;
        byte[] message = v9(set(0, shorts(wider)));
        other.decode(message, 0, message.length, 1, 0, 1, port, rows.block, rows.notes);
      }
    }
    assertThat(other.templates()).isBetween(1, wide.maxAllTemplates() / 2 / 4);
  }

  @Test
  void aSendersFloodTakesNothingFromAQuietExporter() {
    from(7, 7, v9(set(0, TEMPLATE)));
    for (int i = 0; i < FLOOD; i++) {
      from(1, i % 60_000, v9(set(0, TEMPLATE), set(999, new byte[50])));
    }
    from(7, 7, v9(set(256, bytes(10, 0, 0, 1, 5)), set(300, new byte[500])));
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.notes.held).isGreaterThan(500);
    assertWithinBounds();
  }

  @Test
  void manySendersEvictNoActiveSender() {
    for (int i = 0; i < 10; i++) {
      from(7, i, v9(set(0, TEMPLATE)));
    }
    for (int i = 0; i < FLOOD; i++) {
      at(2, 100 + i, 1, v9(set(0, TEMPLATE)));
    }
    assertThat(decoder.sessions()).isEqualTo(BOUNDS.maxSessions());
    assertThat(rows.notes.rejects)
        .isEqualTo(Map.of(RejectReason.TOO_MANY_TEMPLATES, FLOOD + 10 - BOUNDS.maxSessions()));
    for (int i = 0; i < 10; i++) {
      at(3, 7, i, v9(set(256, bytes(10, 0, 0, 1, 5))));
    }
    assertThat(rows.block.rows()).isEqualTo(10);
    assertWithinBounds();
  }

  @Test
  void idleSendersAreEvicted() {
    for (int i = 0; i < BOUNDS.maxSessions(); i++) {
      from(100 + i, 1, v9(set(0, TEMPLATE)));
    }
    at(2 + BOUNDS.maxHeldMicros(), 7, 7, v9(set(0, TEMPLATE), set(256, bytes(10, 0, 0, 1, 5))));
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.notes.evicted).isEqualTo(1);
    assertWithinBounds();
  }

  @Test
  void sessionsWithoutTemplatesAreRemoved() {
    for (int i = 0; i < FLOOD; i++) {
      from(i, i & 0xFFFF, ipfix(i, set(2, shorts(256, 1, 8, 0)), set(5, new byte[9])));
    }
    assertThat(decoder.sessions()).isZero();
    from(1, 1, v9(set(300, new byte[9])));
    assertThat(decoder.sessions()).isEqualTo(1);
    at(2 + BOUNDS.maxHeldMicros(), 2, 2, v9());
    assertThat(decoder.sessions()).isZero();
    assertThat(decoder.heldBytes()).isZero();
  }

  @Test
  void aWithdrawalRemovesAllState() {
    for (int i = 0; i < FLOOD; i++) {
      from(i, 1, ipfix(0, set(2, TEMPLATE), set(2, shorts(256, 0))));
    }
    assertThat(decoder.sessions()).isZero();
    assertThat(rows.notes.evicted).isZero();
    assertThat(rows.notes.templates).isZero();
  }

  @Test
  void samplersAreBounded() {
    byte[] options = shorts(257, 2, 1, 302, 4, 34, 4);
    from(1, 1, ipfix(0, set(3, options)));
    for (int i = 0; i < FLOOD; i++) {
      byte[] told = ByteBuffer.allocate(8).putInt(i).putInt(9).array();
      from(1, 1, ipfix(0, set(257, told)));
    }
    BlockBuffer state = new BlockBuffer(64);
    decoder.snapshot(state);
    assertThat(state.length()).isBetween(12 * 50, 500 + 12 * BOUNDS.maxTemplates());
  }

  @Test
  void samplersOfASenderAreBounded() {
    byte[] options = shorts(257, 2, 1, 302, 4, 34, 4);
    for (int port = 0; port < 40; port++) {
      from(1, port, ipfix(0, set(3, options)));
      for (int i = 0; i < 50; i++) {
        byte[] told = ByteBuffer.allocate(8).putInt(i).putInt(9).array();
        from(1, port, ipfix(0, set(257, told)));
      }
    }
    BlockBuffer state = new BlockBuffer(64);
    decoder.snapshot(state);
    assertThat(state.length()).isBetween(12 * 150, 40 * 450 + 12 * 150);
  }

  @Test
  void restoredStateKeepsToTheBoundsOfAllSessions() {
    NetflowDecoder large = new NetflowDecoder(NetflowConfig.DEFAULT);
    for (int port = 0; port < 90; port++) {
      byte[] message = v9(set(0, TEMPLATE), set(300, new byte[900]), set(0, shorts(400, 1, 8, 4)));
      for (int id = 500; id < 509; id++) {
        byte[] more = v9(set(0, shorts(id, 1, 8, 4)));
        large.decode(more, 0, more.length, 1, 0, 1, port, rows.block, rows.notes);
      }
      large.decode(message, 0, message.length, 1, 0, 1, port, rows.block, rows.notes);
    }
    BlockBuffer state = new BlockBuffer(64);
    large.snapshot(state);
    NetflowDecoder small =
        NetflowDecoder.restore(new BlockInput(state.bytes(), 0, state.length()), BOUNDS);
    assertThat(small.templates()).isBetween(1, BOUNDS.maxAllTemplates());
    assertThat(small.heldBytes()).isBetween(900, BOUNDS.maxHeldBytes());
  }

  @Test
  void absurdLengthsAreRejected() {
    byte[] none = shorts(256, 2, 8, 0, 2, 0);
    byte[] tooMany = shorts(256, 0xFFFF, 8, 4, 2, 1);
    byte[] moreThanAllowed = new byte[4 + 4 * 17];
    ByteBuffer.wrap(moreThanAllowed).putShort((short) 257).putShort((short) 17);
    decode(decoder, v9(set(0, none)), 1, rows);
    decode(decoder, ipfix(0, set(2, tooMany)), 1, rows);
    decode(decoder, ipfix(0, set(2, moreThanAllowed)), 1, rows);
    decode(decoder, v9(set(1, shorts(256, 0xFFFC, 0xFFFC, 1, 4))), 1, rows);
    assertThat(decoder.templates()).isZero();
    assertThat(rows.notes.rejects).isEqualTo(Map.of(RejectReason.BAD_TEMPLATE, 4));
  }

  @Test
  void rejectsAVariableLengthAfterTheSetsEnd() {
    byte[] template = shorts(256, 3, 8, 4, 82, 0xFFFF, 2, 1);
    byte[] sound = bytes(10, 0, 0, 1, 1, 'x', 9);
    byte[] absurd = Arrays.copyOf(sound, 14);
    System.arraycopy(bytes(10, 0, 0, 2, 255, 0xFF, 0xFF), 0, absurd, 7, 7);
    decode(decoder, ipfix(0, set(2, template), set(256, absurd)), 1, rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.notes.rejects).isEqualTo(Map.of(RejectReason.BAD_RECORD_LENGTH, 1));
  }

  @Test
  void aVariableLengthOfVersion9IsOneToo() {
    byte[] template = shorts(256, 3, 8, 4, 236, 0xFFFF, 2, 1);
    byte[] records = bytes(10, 0, 0, 1, 3, 'v', 'p', 'n', 7, 10, 0, 0, 2, 0, 9, 0, 0);
    decode(decoder, v9(set(0, template), set(256, records)), 1, rows);
    assertThat(rows.block.rows()).isEqualTo(2);
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.PACKETS), 2)).containsExactly(7, 9);
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void setsThatCannotBeEndTheMessage() {
    for (int length : new int[] {0, 3, 0xFFFF}) {
      byte[] set = set(256, new byte[9]);
      ByteBuffer.wrap(set).putShort(2, (short) length);
      decode(decoder, v9(set(0, TEMPLATE), set), 1, rows);
    }
    assertThat(rows.block.rows()).isZero();
    assertThat(rows.notes.rejects).isEqualTo(Map.of(RejectReason.BAD_SET_LENGTH, 3));
  }
}
