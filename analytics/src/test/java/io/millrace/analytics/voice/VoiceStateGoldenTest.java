package io.millrace.analytics.voice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.voice.PlainVoice.Message;
import io.millrace.analytics.voice.PlainVoice.Share;
import io.millrace.wire.block.Block;
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

/** State of the guard is written in the same format, and restored. */
class VoiceStateGoldenTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_700_000_000 * SECOND;
  private static final VoiceRules RULES =
      new VoiceRules(SECOND, 10 * SECOND, 3 * SECOND, 5 * SECOND, 0.8, 0.6, 100, 50);

  private static final int GROUP = KeyGroups.all().groupOf(Hash.of(7));

  private final List<String> commands = new ArrayList<>();

  /** Drops the states of controllers. */
  private final Emitter<TableBlock> out =
      new Emitter<>() {
        @Override
        public void emit(TableBlock block) {
          for (int row = 0; row < block.rows(); row++) {
            long second = (block.longs(0)[row] - START) / SECOND;
            commands.add(second + " " + block.text(row, 2) + " " + block.longs(3)[row]);
          }
        }

        @Override
        public <B extends Block> void emit(Output<B> output, B block) {}
      };

  private static TableBlock message(long micros, long bytes) {
    return PlainVoice.volumes(List.of(new Message(START + micros, 7, bytes)), RULES);
  }

  private static VoiceGuard open() {
    VoiceGuard guard = new VoiceGuard(RULES);
    guard.open(AnalyzerContext.alone());
    return guard;
  }

  /** A limited controller, and a waiting message. */
  private byte[] written() throws Exception {
    VoiceGuard guard = open();
    guard.processFirst(message(SECOND / 2, 101), out);
    guard.processSecond(
        PlainVoice.channels(List.of(new Share(START + SECOND / 2, 7, 0.9, 0, 1, 0))), out);
    guard.watermark(START + 2 * SECOND, out);
    guard.processFirst(message(4 * SECOND + SECOND / 2, 20), out);
    StateSnapshot snapshot = guard.snapshot();
    BlockBuffer bytes = new BlockBuffer(256);
    snapshot.write(GROUP, bytes);
    return bytes.toBytes();
  }

  /** Writes the file of the current version. */
  public static void main(String[] args) throws Exception {
    Files.write(Path.of(args[0]), new VoiceStateGoldenTest().written());
  }

  private static byte[] golden() throws IOException {
    try (InputStream file =
        VoiceStateGoldenTest.class.getResourceAsStream("voice-state-version-1.bin")) {
      return file.readAllBytes();
    }
  }

  private void goesOn(byte[] state) throws Exception {
    VoiceGuard guard = open();
    guard.restore(GROUP, new BlockInput(state, 0, state.length));
    guard.watermark(START + 20 * SECOND, out);
    // Below the bound once the first message has left the window, and calm for the hold time.
    assertThat(commands).containsExactly("14 release 20");
  }

  @Test
  void isRead() throws Exception {
    goesOn(golden());
  }

  @Test
  void thePresentVersionIsWrittenAsItWas() throws Exception {
    assertThat(written()).isEqualTo(golden());
    assertThat(commands).containsExactly("1 limit 101");
  }

  @Test
  void aNewerVersionIsRejected() throws Exception {
    byte[] bytes = golden();
    bytes[0]++;
    assertThatThrownBy(() -> open().restore(GROUP, new BlockInput(bytes, 0, bytes.length)))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("state of voice of version 2, expected version 1");
  }
}
