package io.millrace.analytics.windows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Panes give the same sums as one object per window, also with late rows and restarts. */
class SlidingSumsPropertyTest {
  private static final KeyGroups GROUPS = KeyGroups.all();

  @Property(tries = 500)
  void sumsEqualThoseOfOneObjectPerWindow(
      @ForAll @IntRange(min = 1, max = 40) int size,
      @ForAll @IntRange(min = 1, max = 40) int slide,
      @ForAll long seed)
      throws Exception {
    SlidingWindows windows = new SlidingWindows(size, Math.min(size, slide));
    SlidingSums sums = new SlidingSums(GROUPS, windows, 1);
    WindowObjects model = new WindowObjects(windows);
    Random random = new Random(seed);
    long now = random.nextInt(100) - 50L;
    for (int step = 0; step < 300; step++) {
      switch (random.nextInt(20)) {
        case 0 -> sums = restored(sums, windows);
        case 1, 2, 3 -> {
          long watermark = now - random.nextInt(10);
          assertThat(advance(sums, watermark)).isEqualTo(model.advance(watermark));
        }
        default -> {
          long micros = now - random.nextInt(30);
          long key = random.nextInt(5);
          long amount = random.nextInt(7) - 3L;
          boolean added = sums.add(micros, Hash.of(key, 0), key, 0, new long[] {amount});
          assertThat(added).isEqualTo(model.add(micros, key, amount));
        }
      }
      now += random.nextInt(50) == 0 ? random.nextInt(500) : random.nextInt(2);
    }
    assertThat(advance(sums, Long.MAX_VALUE)).isEqualTo(model.advance(Long.MAX_VALUE));
    StateSnapshot end = sums.snapshot();
    for (int group = GROUPS.first(); group <= GROUPS.last(); group++) {
      assertThat(end.isEmpty(group)).isTrue();
    }
  }

  private static List<String> advance(SlidingSums sums, long watermark) throws Exception {
    List<String> rows = new ArrayList<>();
    sums.advance(
        watermark,
        (end, table) -> {
          List<String> window = new ArrayList<>();
          for (int entry = 0; entry < table.size(); entry++) {
            window.add(end + " " + table.key(entry, 0) + " " + table.values(0)[entry]);
          }
          window.sort(null);
          rows.addAll(window);
        });
    return rows;
  }

  private static SlidingSums restored(SlidingSums sums, SlidingWindows windows) throws Exception {
    SlidingSums again = new SlidingSums(GROUPS, windows, 1);
    StateSnapshot snapshot = sums.snapshot();
    for (int group = GROUPS.first(); group <= GROUPS.last(); group++) {
      if (!snapshot.isEmpty(group)) {
        BlockBuffer out = new BlockBuffer(16);
        snapshot.write(group, out);
        again.restore(new BlockInput(out.bytes(), 0, out.length()));
      }
    }
    return again;
  }
}
