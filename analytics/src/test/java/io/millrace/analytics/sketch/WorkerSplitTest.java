package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WorkerSplitTest {
  private static final int KEY_BYTES = 13;
  private static final int WORKERS = 5;

  private static List<LdSketch> counted(Stream stream, WorkerSplit split, long memory) {
    List<LdSketch> sketches = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      sketches.add(new LdSketch(KEY_BYTES, memory, i));
    }
    for (KeyBlock block : stream.blocks) {
      List<KeyBlock> parts = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        parts.add(new KeyBlock(KEY_BYTES, block.rows()));
      }
      split.split(block, parts);
      for (int i = 0; i < WORKERS; i++) {
        sketches.get(i).update(parts.get(i));
      }
    }
    return sketches;
  }

  @Test
  void eachRowReachesOneWorkerAndEachKeyTheConfiguredNumber() {
    Stream stream = Stream.of(Stream.Kind.ZIPF, KEY_BYTES, 30_000, new Random(1));
    WorkerSplit split = new WorkerSplit(WORKERS, 3, KEY_BYTES, 2);
    List<LdSketch> sketches = counted(stream, split, 4 << 20);
    assertThat(sketches.stream().mapToLong(HitterSketch::total).sum()).isEqualTo(stream.total);
    for (Key key : stream.hitters(stream.total / 50)) {
      assertThat(sketches.stream().filter(s -> s.estimate(key).lower() > 0)).hasSize(3);
    }
  }

  @Test
  void joinedReportsFindAllWithinTheirBounds() {
    Stream stream = Stream.of(Stream.Kind.ZIPF, KEY_BYTES, 100_000, new Random(3));
    long threshold = stream.total / 100;
    for (int perKey : new int[] {1, 2, 3}) {
      WorkerSplit split = new WorkerSplit(WORKERS, perKey, KEY_BYTES, 4);
      List<LdSketch> sketches = counted(stream, split, 64 << 10);
      List<Hitter> joined = split.join(sketches, threshold);
      assertThat(joined).extracting(Hitter::key).containsAll(stream.hitters(threshold));
      for (Hitter hitter : joined) {
        assertThat(stream.weight(hitter.key()))
            .isBetween(hitter.estimate().lower(), hitter.estimate().upper());
      }
    }
  }

  /**
   * A key that is heavy at one worker because of collisions collides with other keys at the next
   * one.
   */
  @Test
  void reportsOfTwoWorkersAreMorePreciseInLittleMemoryAndFindFewer() {
    Reports ofOne = reports(1, 16 << 10);
    Reports ofTwo = reports(2, 16 << 10);
    assertThat(ofTwo.precision()).isGreaterThan(2 * ofOne.precision());
    assertThat(ofTwo.right()).isLessThan(ofOne.right());
    assertThat(reports(1, 32 << 10).precision()).isGreaterThan(reports(2, 32 << 10).precision());
  }

  private record Reports(long right, long all) {
    double precision() {
      return (double) right / all;
    }
  }

  private static Reports reports(int perKey, long memory) {
    Stream stream = Stream.of(Stream.Kind.ZIPF, KEY_BYTES, 100_000, new Random(1));
    long threshold = stream.total / 500;
    WorkerSplit split = new WorkerSplit(WORKERS, perKey, KEY_BYTES, 1);
    List<Hitter> joined = split.join(counted(stream, split, memory), threshold);
    long right = joined.stream().filter(h -> stream.weight(h.key()) >= threshold).count();
    return new Reports(right, joined.size());
  }

  /** A key collides with a heavy one at one worker, so the other worker does not report it. */
  @Test
  void aKeyThatIsHeavyAtOneWorkerAloneIsNotReported() {
    WorkerSplit split = new WorkerSplit(WORKERS, 2, KEY_BYTES, 5);
    List<ExactCounts> sketches = new ArrayList<>();
    Key key = Key.of(new byte[KEY_BYTES]);
    KeyBlock block = new KeyBlock(KEY_BYTES, 1);
    block.add(key, 1_000);
    List<KeyBlock> parts = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      parts.add(new KeyBlock(KEY_BYTES, 2));
      sketches.add(new ExactCounts(KEY_BYTES, 1 << 20, i));
    }
    split.split(block, parts);
    for (int i = 0; i < WORKERS; i++) {
      sketches.get(i).update(parts.get(i));
    }
    assertThat(split.join(sketches, 500)).isEmpty();
    sketches.forEach(sketch -> sketch.update(block));
    assertThat(split.join(sketches, 500)).extracting(Hitter::key).containsExactly(key);
  }
}
