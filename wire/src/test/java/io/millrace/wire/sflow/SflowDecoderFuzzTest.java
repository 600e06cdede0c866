package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.fuzz.FuzzTime;
import io.millrace.wire.packet.IpLayer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Any input: no exception, no byte read outside the datagram, no more rows than fit. */
class SflowDecoderFuzzTest {
  private static final int TURNS = 2_000;

  private final SflowDecoder decoder = new SflowDecoder();
  private final SflowDecoder ofFrames = new SflowDecoder(IpLayer.INNER, true);

  @RepeatedTest(5)
  void takesAnyBytes(RepetitionInfo repetition) {
    Consumer<Random> turn =
        random -> {
          byte[] bytes = new byte[random.nextInt(400)];
          random.nextBytes(bytes);
          if (bytes.length >= 8 && random.nextBoolean()) {
            System.arraycopy(new byte[] {0, 0, 0, 5, 0, 0, 0, 1}, 0, bytes, 0, 8);
          }
          decodesTheSameWhateverSurrounds(bytes, random);
        };
    FuzzTime.run("sflow any bytes", repetition.getCurrentRepetition(), TURNS, turn);
  }

  @RepeatedTest(5)
  void takesMutatedDatagrams(RepetitionInfo repetition) {
    takesMutated("sflow mutated", SflowSamples.everything().toBytes(), repetition);
  }

  @RepeatedTest(5)
  void takesMutatedDatagramsOfRareRecords(RepetitionInfo repetition) {
    takesMutated("sflow rare mutated", SflowSamples.rare().toBytes(), repetition);
  }

  private void takesMutated(String name, byte[] sound, RepetitionInfo repetition) {
    Consumer<Random> turn =
        random -> {
          byte[] bytes = sound.clone();
          for (int n = 1 + random.nextInt(4); n > 0; n--) {
            mutate(bytes, random);
          }
          decodesTheSameWhateverSurrounds(bytes, random);
        };
    FuzzTime.run(name, repetition.getCurrentRepetition(), TURNS, turn);
  }

  @Test
  void takesDatagramsCutAnywhere() {
    for (SflowEncoder each : List.of(SflowSamples.everything(), SflowSamples.rare())) {
      byte[] sound = each.toBytes();
      Random random = new Random(1);
      for (int length = 0; length <= sound.length; length++) {
        decodesTheSameWhateverSurrounds(Arrays.copyOf(sound, length), random);
      }
    }
  }

  private static void mutate(byte[] bytes, Random random) {
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(4)) {
      case 0 -> bytes[at] = (byte) random.nextInt();
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> Arrays.fill(bytes, at & ~3, Math.min(bytes.length, (at & ~3) + 4), (byte) 0xFF);
      default -> Arrays.fill(bytes, at & ~3, Math.min(bytes.length, (at & ~3) + 4), (byte) 0);
    }
  }

  /** Detects reads outside the datagram: decodes it alone, and within random bytes. */
  private void decodesTheSameWhateverSurrounds(byte[] bytes, Random random) {
    decodesTheSameWhateverSurrounds(decoder, bytes, random);
    decodesTheSameWhateverSurrounds(ofFrames, bytes, random);
  }

  private static void decodesTheSameWhateverSurrounds(
      SflowDecoder decoder, byte[] bytes, Random random) {
    FlowBlock alone = new FlowBlock(1);
    CounterBlock countersAlone = new CounterBlock(1);
    TableBlock discardsAlone = new TableBlock(Discards.SCHEMA, 1);
    int[] rejects = {0};
    decoder.decode(
        bytes,
        0,
        bytes.length,
        1,
        0,
        2,
        alone,
        countersAlone,
        discardsAlone,
        (reason, offset) -> {
          rejects[0]++;
          assertThat(offset).isBetween(0, bytes.length);
        },
        NameSink.NONE);
    assertThat(alone.rows()).isLessThanOrEqualTo(bytes.length / 80);
    assertThat(alone.capacity()).isLessThanOrEqualTo(bytes.length / 80 + 2);
    assertThat(countersAlone.rows()).isLessThanOrEqualTo(bytes.length / 96);
    assertThat(discardsAlone.rows()).isLessThanOrEqualTo(bytes.length / 40);
    assertThat(rejects[0]).isLessThanOrEqualTo(bytes.length / 8 + 1);

    byte[] surrounded = new byte[bytes.length + 128];
    random.nextBytes(surrounded);
    System.arraycopy(bytes, 0, surrounded, 64, bytes.length);
    FlowBlock among = new FlowBlock(1);
    CounterBlock countersAmong = new CounterBlock(1);
    TableBlock discardsAmong = new TableBlock(Discards.SCHEMA, 1);
    decoder.decode(
        surrounded,
        64,
        bytes.length,
        1,
        0,
        2,
        among,
        countersAmong,
        discardsAmong,
        Rejects.NONE,
        NameSink.NONE);
    assertThat(SflowRows.all(among)).isEqualTo(SflowRows.all(alone));
    assertThat(SflowRows.text(countersAmong)).isEqualTo(SflowRows.text(countersAlone));
    assertThat(SflowRows.text(discardsAmong)).isEqualTo(SflowRows.text(discardsAlone));
  }
}
