package io.millrace.analytics.trend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** State written by a release must stay readable. */
class TrendSnapshotTest {
  private static final String GOLDEN = "trend-state-version-1.bin";
  private static final long MINUTE = 60_000_000;

  /** Capacity for eight keywords in each key group, so that some pass a sketch. */
  private static final TrendSettings SETTINGS =
      TrendSettings.defaults()
          .withBuckets(2)
          .withRule(2, 1, 1.5)
          .withBaseline(TrendSettings.Baseline.USUAL)
          .withKeywords(1_024)
          .withSeed(7);

  /** A few of all groups, so that each has a sketch. */
  private static final KeyGroups GROUPS = KeyGroups.of(KeyGroups.DEFAULT_MAX, 0, 32);

  private static TrendState empty() {
    return new TrendState(GROUPS, SETTINGS, false);
  }

  /** Counts a keyword if it belongs to the groups. */
  private static void add(TrendState state, long minute, String keyword, long count) {
    byte[] utf8 = keyword.getBytes(StandardCharsets.UTF_8);
    int hash = TrendRows.hash(utf8, 0, utf8.length);
    if (KeyGroups.groupOf(hash, KeyGroups.DEFAULT_MAX) >= GROUPS.size()) {
      return;
    }
    var unused =
        state.add(
            hash,
            ByteKeyTable.indexHash(utf8, 0, utf8.length),
            utf8,
            0,
            utf8.length,
            minute * MINUTE,
            count,
            0);
  }

  /** Known keywords, open buckets and sketches. */
  private static TrendState state() throws Exception {
    TrendState state = empty();
    state.advance(0, none -> {});
    for (int minute = 1; minute <= 4; minute++) {
      for (int i = 0; i < 2_000; i++) {
        add(state, minute, "page " + i, 1 + i % 3);
      }
      if (minute < 4) {
        state.advance((minute + 1) * MINUTE - 1, none -> {});
      }
    }
    add(state, 5, "page 0", 4);
    return state;
  }

  private static byte[] bytes(TrendState state) throws IOException {
    StateSnapshot snapshot = state.snapshot();
    BlockBuffer out = new BlockBuffer(1 << 16);
    for (int group = 0; group < GROUPS.size(); group++) {
      if (!snapshot.isEmpty(group)) {
        out.putInt(group);
        snapshot.write(group, out);
      }
    }
    return out.toBytes();
  }

  /** Trends of the open buckets, and of one more bucket with a rise. */
  private static List<Trend> verdicts(TrendState state) throws Exception {
    for (int i = 0; i < 100; i++) {
      add(state, 5, "page " + i, 90);
      add(state, 5, "nobody knows " + i, 3_000);
    }
    List<Trend> trends = new ArrayList<>();
    state.advance(6 * MINUTE - 1, judged -> trends.add(judged.trend()));
    return trends;
  }

  private static byte[] golden() throws IOException {
    try (InputStream in = TrendSnapshotTest.class.getResourceAsStream(GOLDEN)) {
      return in.readAllBytes();
    }
  }

  private static TrendState restored() throws IOException {
    TrendState restored = empty();
    byte[] golden = golden();
    for (BlockInput in = new BlockInput(golden, 0, golden.length); in.remaining() > 0; ) {
      restored.restore(in.takeInt(), in);
    }
    return restored;
  }

  @Test
  void stateOfVersion1IsRead() throws Exception {
    List<Trend> expected = verdicts(state());
    assertThat(expected).extracting(Trend::kind).contains(TrendKind.RISE, TrendKind.NEW);
    assertThat(verdicts(restored())).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void stateThatWasReadIsWrittenAsTheSameBytes() throws Exception {
    assertThat(bytes(restored())).isEqualTo(golden());
  }

  /** Writes the file of a new version, whose name is the argument. */
  public static void main(String[] arguments) throws Exception {
    Files.write(Path.of(arguments[0]), bytes(state()));
  }
}
