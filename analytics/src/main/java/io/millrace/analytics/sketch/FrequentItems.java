package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.List;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * The frequent items sketch of Apache DataSketches, after Anderson et al., "A high-performance
 * algorithm for identifying frequent items in data streams" (IMC 2017): a table of keys that
 * subtracts the median from all when it is full.
 *
 * <p><b>Bounds</b>, certain: the library's, less than 3.5 N / m apart, with a table of m places.
 * <b>Good for</b> comparison with a well-known implementation, and few keys. Each row costs an
 * object and a cache miss, so it is slower than the others.
 */
public final class FrequentItems implements HitterSketch {
  private static final int VERSION = 1;
  private static final int MIN_PLACES = 8;
  private static final int LARGEST_LG = 26;

  /** Reference, weight and distance of a place. */
  private static final int PLACE_BYTES = 4 + 8 + 2;

  /** Object and array of a key: two headers, two references and lengths. */
  private static final int KEY_BYTES = 24 + 16;

  private final int keyBytes;
  private final int places;
  private ItemsSketch<Key> items;
  private long total;

  /** Weight that had been subtracted from all keys when the restored snapshot was written. */
  private long subtracted;

  /** An empty sketch of at most {@code memory} bytes; its number of places is a power of two. */
  public FrequentItems(int keyBytes, long memory) {
    this(keyBytes, places(keyBytes, memory));
  }

  private FrequentItems(int keyBytes, int places) {
    this.keyBytes = keyBytes;
    this.places = places;
    items = new ItemsSketch<>(places);
  }

  private static int places(int keyBytes, long memory) {
    long max = Math.min(memory / placeBytes(keyBytes), 1L << LARGEST_LG);
    if (max < MIN_PLACES) {
      throw new IllegalArgumentException("memory: " + memory + " bytes, expected at least 16 KiB");
    }
    return (int) Long.highestOneBit(max);
  }

  /** Bytes per place; three of four places have a key. */
  private static long placeBytes(int keyBytes) {
    return PLACE_BYTES + (KEY_BYTES + Long.BYTES * KeyBlock.words(keyBytes)) * 3L / 4;
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.FREQUENT_ITEMS;
  }

  @Override
  public int keyBytes() {
    return keyBytes;
  }

  @Override
  public void update(KeyBlock block) {
    if (block.keyBytes() != keyBytes) {
      throw new IllegalArgumentException(
          "keys of " + block.keyBytes() + " bytes, expected " + keyBytes);
    }
    for (int row = 0; row < block.rows(); row++) {
      items.update(block.key(row), block.weights()[row]);
    }
    total += block.total();
  }

  @Override
  public void merge(HitterSketch other) {
    if (!(other instanceof FrequentItems sketch) || sketch.keyBytes != keyBytes) {
      throw new IllegalArgumentException(
          "frequent items merge only with frequent items of the same key width");
    }
    items.merge(sketch.items);
    subtracted += sketch.subtracted;
    total += sketch.total;
  }

  @Override
  public long total() {
    return total;
  }

  @Override
  public Estimate estimate(Key key) {
    return estimate(items.getEstimate(key), items.getLowerBound(key), items.getUpperBound(key));
  }

  private Estimate estimate(long value, long lower, long upper) {
    return new Estimate(value == 0 ? 0 : value + subtracted, lower, upper + subtracted);
  }

  @Override
  public double confidence() {
    return 1;
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    List<Hitter> hitters = new ArrayList<>();
    for (ItemsSketch.Row<Key> row : items.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES)) {
      Estimate estimate = estimate(row.getEstimate(), row.getLowerBound(), row.getUpperBound());
      if (estimate.value() >= threshold) {
        hitters.add(new Hitter(row.getItem(), estimate));
      }
    }
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  @Override
  public HitterSketch fresh() {
    return new FrequentItems(keyBytes, places);
  }

  @Override
  public long bytes() {
    return places * placeBytes(keyBytes);
  }

  /**
   * Writes the items as rows, since the library's format needs JVM internals that later Java
   * versions lack.
   */
  @Override
  public void write(BlockBuffer out) {
    ItemsSketch.Row<Key>[] rows = items.getFrequentItems(ErrorType.NO_FALSE_NEGATIVES);
    KeyBlock block = new KeyBlock(keyBytes, rows.length);
    for (ItemsSketch.Row<Key> row : rows) {
      block.add(row.getItem(), row.getLowerBound());
    }
    out.putByte(VERSION);
    out.putByte(algorithm().ordinal());
    out.putByte(keyBytes);
    out.putInt(places);
    out.putLong(total);
    out.putLong(subtracted + items.getMaximumError());
    out.putInt(rows.length);
    out.putLongs(block.weights(), rows.length);
    for (int word = 0; word < KeyBlock.words(keyBytes); word++) {
      out.putLongs(block.word(word), rows.length);
    }
  }

  @Override
  public void read(BlockInput in) {
    int version = in.takeByte();
    int kind = in.takeByte();
    int bytes = in.takeByte();
    int size = in.takeInt();
    if (version != VERSION
        || kind != algorithm().ordinal()
        || bytes != keyBytes
        || size != places) {
      throw in.broken("not a snapshot of frequent items of this key width and version");
    }
    total = in.takeLong();
    subtracted = in.takeLong();
    int count = in.takeInt();
    if (total < 0 || subtracted < 0 || count < 0 || count > places) {
      throw in.broken(count + " frequent items with the total weight " + total);
    }
    KeyBlock block = new KeyBlock(keyBytes, count);
    block.setRows(count);
    in.takeLongs(block.weights(), count);
    for (int word = 0; word < KeyBlock.words(keyBytes); word++) {
      in.takeLongs(block.word(word), count);
    }
    items = new ItemsSketch<>(places);
    for (int row = 0; row < count; row++) {
      if (block.weights()[row] <= 0) {
        throw in.broken("an item with weight " + block.weights()[row]);
      }
      items.update(block.key(row), block.weights()[row]);
    }
  }
}
