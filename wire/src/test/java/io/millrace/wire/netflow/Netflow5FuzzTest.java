package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.fuzz.FuzzTime;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Version 5: any bytes after the version give the complete records, and nothing else. */
class Netflow5FuzzTest {
  private static final int TURNS = 5_000;

  @RepeatedTest(4)
  void takesAnyBytes(RepetitionInfo repetition) {
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    FuzzTime.run(
        "netflow5",
        repetition.getCurrentRepetition(),
        TURNS,
        random -> {
          byte[] bytes = datagram(random);
          FlowBlock alone = decode(decoder, bytes, 0, bytes.length);
          byte[] surrounded = new byte[bytes.length + 100];
          random.nextBytes(surrounded);
          System.arraycopy(bytes, 0, surrounded, 50, bytes.length);
          FlowBlock among = decode(decoder, surrounded, 50, bytes.length);
          int there = Math.max(0, bytes.length - NetflowLayout.V5_HEADER_LENGTH);
          assertThat(alone.rows()).isLessThanOrEqualTo(there / NetflowLayout.V5_RECORD_LENGTH);
          assertThat(NetflowRows.text(among)).isEqualTo(NetflowRows.text(alone));
          assertThat(decoder.sessions()).isLessThanOrEqualTo(NetflowConfig.DEFAULT.maxSessions());
        });
  }

  private static byte[] datagram(Random random) {
    byte[] bytes = new byte[random.nextInt(NetflowLayout.V5_HEADER_LENGTH + 31 * 48)];
    random.nextBytes(bytes);
    if (bytes.length > 3) {
      bytes[0] = 0;
      bytes[1] = 5;
      if (random.nextBoolean()) {
        bytes[2] = 0;
        bytes[3] = (byte) random.nextInt(40);
      }
    }
    return random.nextInt(8) == 0 ? Arrays.copyOf(bytes, random.nextInt(30)) : bytes;
  }

  private static FlowBlock decode(NetflowDecoder decoder, byte[] b, int off, int length) {
    FlowBlock out = new FlowBlock(1);
    Counting counting =
        new Counting() {
          @Override
          public void reject(io.millrace.wire.block.RejectReason reason, int offset) {
            assertThat(offset).isBetween(0, length);
          }
        };
    decoder.decode(b, off, length, 1, 0, 2, 3, out, counting);
    return out;
  }
}
