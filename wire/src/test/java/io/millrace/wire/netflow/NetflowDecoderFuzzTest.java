package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.fuzz.FuzzTime;
import io.millrace.wire.packet.IpLayer;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Any input: no exception, no byte read outside the datagram, bounded state. */
class NetflowDecoderFuzzTest {
  private static final int TURNS = 3_000;
  private static final NetflowConfig SMALL =
      new NetflowConfig(
          8, 8, 32, 16, 9000, 2, 1_000_000, SamplingDefaults.NONE, IpLayer.OUTER, false);

  @RepeatedTest(6)
  void takesAnyBytes(RepetitionInfo repetition) {
    NetflowDecoder alone = new NetflowDecoder(SMALL);
    NetflowDecoder among = new NetflowDecoder(SMALL);
    int[] time = {0};
    Consumer<Random> turn =
        random -> {
          byte[] bytes = message(random);
          int port = random.nextInt(12);
          int i = time[0]++;
          FlowBlock one = new FlowBlock(1);
          alone.decode(
              bytes,
              0,
              bytes.length,
              i,
              0,
              2,
              port,
              one,
              (reason, offset) -> assertThat(offset).isBetween(0, bytes.length));
          byte[] surrounded = new byte[bytes.length + 128];
          random.nextBytes(surrounded);
          System.arraycopy(bytes, 0, surrounded, 64, bytes.length);
          FlowBlock other = new FlowBlock(1);
          among.decode(surrounded, 64, bytes.length, i, 0, 2, port, other, Observations.NONE);
          assertThat(other.rows())
              .isEqualTo(one.rows())
              .isLessThanOrEqualTo(2 * (bytes.length + 3000));
          assertThat(alone.sessions()).isLessThanOrEqualTo(8);
          assertThat(alone.templates()).isLessThanOrEqualTo(32);
          assertThat(alone.heldBytes()).isBetween(0, 9000 / 2);
        };
    FuzzTime.run("netflow9-ipfix", repetition.getCurrentRepetition(), TURNS, turn);
    assertThat(state(among)).isEqualTo(state(alone));
  }

  private static byte[] state(NetflowDecoder decoder) {
    BlockBuffer out = new BlockBuffer(64);
    decoder.snapshot(out);
    return out.toBytes();
  }

  /** Half-valid messages: sets with small ids, existing elements, occasionally a broken byte. */
  private static byte[] message(Random random) {
    byte[][] sets = new byte[1 + random.nextInt(4)][];
    boolean isIpfix = random.nextBoolean();
    for (int i = 0; i < sets.length; i++) {
      int id = random.nextBoolean() ? random.nextInt(4) : 256 + random.nextInt(4);
      sets[i] = Messages.set(id, id < 256 ? template(random, id) : data(random));
    }
    byte[] bytes = isIpfix ? Messages.ipfix(random.nextInt(), sets) : Messages.v9(sets);
    for (int n = random.nextInt(4); n > 0; n--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    if (random.nextInt(8) == 0) {
      return java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
    return bytes;
  }

  private static byte[] template(Random random, int id) {
    int fields = 1 + random.nextInt(8);
    boolean isOptions = (id & 1) == 1;
    int head = isOptions ? 3 : 2;
    int[] words = new int[head + 2 * fields];
    words[0] = 256 + random.nextInt(4);
    words[1] = id == 1 ? 4 : fields;
    if (isOptions) {
      words[2] = id == 1 ? 4 * (fields - 1) : 1;
    }
    for (int i = head; i < words.length; i += 2) {
      words[i] = random.nextInt(420);
      words[i + 1] = random.nextInt(6) == 0 ? 0xFFFF : 1 << random.nextInt(5);
    }
    return Messages.shorts(words);
  }

  private static byte[] data(Random random) {
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    return bytes;
  }
}
