package io.millrace.analytics.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** State of the joiner is written in the same format, and restored. */
class SignalStateGoldenTest {
  private static final long MINUTE = 60_000_000;
  private static final long START = 20_000 * MINUTE;
  private static final QuotaRules RULES =
      new QuotaRules(90, 15 * MINUTE, List.of("warn", "grant", "charge"));

  private static final int GROUP = KeyGroups.all().groupOf(Hash.of(7));

  private static TableBlock usage(long time, long used) {
    return PlainQuota.block(
        List.of(
            new PlainQuota.Row(START + time, 7, 0, time, 0, 100, used, RULES.of(100, used, 0, 0))));
  }

  private static TableBlock event(long time) {
    return PlainQuota.block(
        List.of(new PlainQuota.Row(START + time, 7, 0, time, 0, 0, 0, QuotaRules.NONE)));
  }

  private static SignalJoiner open() {
    SignalJoiner joiner = new SignalJoiner(RULES);
    joiner.open(AnalyzerContext.alone());
    return joiner;
  }

  /** A valid usage record, an emitted signal, a waiting record and a waiting event. */
  private static byte[] written() throws Exception {
    SignalJoiner joiner = open();
    joiner.processFirst(usage(0, 95), block -> {});
    joiner.processSecond(event(1), block -> {});
    joiner.watermark(START + MINUTE, block -> {});
    joiner.processFirst(usage(2 * MINUTE, 100), block -> {});
    joiner.processSecond(event(3 * MINUTE), block -> {});
    StateSnapshot snapshot = joiner.snapshot();
    BlockBuffer out = new BlockBuffer(256);
    snapshot.write(GROUP, out);
    return out.toBytes();
  }

  /** Writes the file of the current version. */
  public static void main(String[] args) throws Exception {
    Files.write(Path.of(args[0]), written());
  }

  private static byte[] golden() throws IOException {
    try (InputStream file =
        SignalStateGoldenTest.class.getResourceAsStream("signals-version-1.bin")) {
      return file.readAllBytes();
    }
  }

  @Test
  void isRead() throws Exception {
    SignalJoiner joiner = open();
    byte[] bytes = golden();
    joiner.restore(GROUP, new BlockInput(bytes, 0, bytes.length));
    List<String> signals = new ArrayList<>();
    joiner.processSecond(event(MINUTE + 1), block -> {}); // that rule has already signalled
    joiner.watermark(
        START + 4 * MINUTE,
        block -> {
          for (int row = 0; row < block.rows(); row++) {
            signals.add(block.text(row, 2) + " " + block.longs(4)[row]);
          }
        });
    assertThat(signals).containsExactly("grant 100");
  }

  @Test
  void thePresentVersionIsWrittenAsItWas() throws Exception {
    assertThat(written()).isEqualTo(golden());
  }

  @Test
  void aNewerVersionIsRejected() throws Exception {
    byte[] bytes = golden();
    bytes[0]++;
    assertThatThrownBy(() -> open().restore(GROUP, new BlockInput(bytes, 0, bytes.length)))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("state of quota of version 2, expected version 1");
  }
}
