package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Truncated or damaged state, or state above the current limits. */
class SessionFormatTest {
  private static final byte[] TEMPLATE = shorts(256, 3, 8, 4, 12, 4, 2, 1);
  private static final byte[] OTHER = shorts(257, 2, 8, 4, 2, 1);
  private static final byte[] RECORD = bytes(10, 0, 0, 1, 10, 0, 0, 2, 5);

  @Test
  void aCutSnapshotIsBroken() {
    byte[] state = state();
    for (int length = 0; length < state.length; length++) {
      byte[] cut = Arrays.copyOf(state, length);
      assertThatThrownBy(() -> restore(cut, NetflowConfig.DEFAULT))
          .as("%d bytes", length)
          .isInstanceOf(BlockFormatException.class);
    }
  }

  @Test
  void aDamagedSnapshotIsBrokenOrReadButNothingElse() {
    byte[] state = state();
    Random random = new Random(11);
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = state.clone();
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        NetflowDecoder decoder = restore(damaged, NetflowConfig.DEFAULT);
        decode(decoder, v9(set(256, RECORD)), 2, new Messages.Rows());
      } catch (BlockFormatException e) {
        assertThat(e).hasMessageContaining("byte ");
      }
    }
  }

  @Test
  void smallerLimitsApplyToRestoredState() {
    NetflowConfig d = NetflowConfig.DEFAULT;
    NetflowDecoder decoder =
        restore(
            state(),
            new NetflowConfig(
                1,
                1,
                1,
                d.maxFields(),
                PendingSet.sessionCost(),
                1,
                d.maxHeldMicros(),
                d.samplingDefaults(),
                d.layer(),
                d.hasLayer2()));
    assertThat(decoder.templates()).isEqualTo(1);
    assertThat(decoder.heldBytes()).isZero();
  }

  private static byte[] state() {
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    decode(decoder, v9(set(0, TEMPLATE), set(0, OTHER)), 1, new Messages.Rows());
    decode(decoder, v9(set(300, RECORD)), 1, new Messages.Rows());
    assertThat(decoder.templates()).isEqualTo(2);
    assertThat(decoder.heldBytes()).isGreaterThan(RECORD.length);
    BlockBuffer out = new BlockBuffer(16);
    decoder.snapshot(out);
    return out.toBytes();
  }

  private static NetflowDecoder restore(byte[] state, NetflowConfig config) {
    return NetflowDecoder.restore(new BlockInput(state, 0, state.length), config);
  }
}
