package io.millrace.wire.goflow2;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.fuzz.FuzzTime;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumns;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Any bytes give rows and rejects that add up, at any position in an array. */
class FlowMessageDecoderFuzzTest {
  private static final int TURNS = 5_000;

  private final FlowMessageEncoder encoder =
      new FlowMessageEncoder(OutputColumns.all(List.of()), true);
  private final FlowMessageDecoder decoder = new FlowMessageDecoder();

  @RepeatedTest(4)
  void takesAnyBytes(RepetitionInfo repetition) {
    FuzzTime.run(
        "goflow2",
        repetition.getCurrentRepetition(),
        TURNS,
        random -> {
          byte[] bytes = message(random);
          byte[] surrounded = new byte[bytes.length + 40];
          random.nextBytes(surrounded);
          System.arraycopy(bytes, 0, surrounded, 20, bytes.length);
          assertThat(text(surrounded, 20, bytes.length, false))
              .isEqualTo(text(bytes, 0, bytes.length, false));
          assertThat(text(surrounded, 20, bytes.length, true))
              .isEqualTo(text(bytes, 0, bytes.length, true));
        });
  }

  private byte[] message(Random random) {
    if (random.nextInt(4) == 0) {
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      return noise;
    }
    MessageBuffer out = new MessageBuffer();
    int rows = 1 + random.nextInt(3);
    encoder.begin(Rows.tellable(random, rows), new JoinedTexts());
    encoder.encode(0, rows, out);
    byte[] bytes = out.toBytes();
    for (int i = random.nextInt(4); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    int front = random.nextInt(3);
    return Arrays.copyOfRange(bytes, front, Math.max(front, bytes.length - random.nextInt(5)));
  }

  private String text(byte[] bytes, int off, int length, boolean isDelimited) {
    FlowBlock out = new FlowBlock(1);
    StringBuilder rejects = new StringBuilder();
    int rows;
    if (isDelimited) {
      rows =
          decoder.decodeDelimited(
              bytes, off, length, 1, out, (reason, at) -> note(rejects, reason, at, length));
    } else {
      rows =
          decoder.decode(
                  bytes, off, length, 1, out, (reason, at) -> note(rejects, reason, at, length))
              ? 1
              : 0;
      String without = rejects.toString().replace(RejectReason.IMPOSSIBLE_RATE + "@0", "");
      assertThat(rows == 0).isEqualTo(!without.isEmpty());
    }
    assertThat(out.rows()).isEqualTo(rows);
    return rejects + " " + Rows.values(out);
  }

  private static void note(StringBuilder rejects, Object reason, int at, int length) {
    assertThat(at).isBetween(0, length);
    rejects.append(reason).append('@').append(at);
  }
}
