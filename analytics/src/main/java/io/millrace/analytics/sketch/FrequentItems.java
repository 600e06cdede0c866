package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.List;
import org.apache.datasketches.common.ArrayOfItemsSerDe;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.apache.datasketches.memory.Memory;

/**
 * The frequent items sketch of Apache DataSketches, after Anderson et al., "A high-performance
 * algorithm for identifying frequent items in data streams" (IMC 2017): a table of keys from which
 * the median is taken off when it is full.
 *
 * <p><b>Bounds</b>, certain: the library's, less than 3.5 N / m apart, with a table of m places.
 * <b>Good for</b> comparison with what is well known, and for few keys. Each row costs an object,
 * and a look-up at which the processor waits, so it is slower than the others.
 */
public final class FrequentItems implements HitterSketch {
  private static final int VERSION = 1;
  private static final int LEAST_PLACES = 8;
  private static final int LARGEST_LG = 26;

  /** A place has a reference, a weight and a distance. */
  private static final int PLACE_BYTES = 4 + 8 + 2;

  /** A key is an object and an array: two headers, two references and lengths. */
  private static final int KEY_BYTES = 24 + 16;

  private final int keyBytes;
  private final int places;
  private ItemsSketch<Key> items;

  /** An empty sketch in so many bytes; its table has as many places as a power of two. */
  public FrequentItems(int keyBytes, long memory) {
    this(keyBytes, places(keyBytes, memory));
  }

  private FrequentItems(int keyBytes, int places) {
    this.keyBytes = keyBytes;
    this.places = places;
    items = new ItemsSketch<>(places);
  }

  private static int places(int keyBytes, long memory) {
    long most = Math.min(memory / placeBytes(keyBytes), 1L << LARGEST_LG);
    if (most < LEAST_PLACES) {
      throw new IllegalArgumentException(memory + " bytes: frequent items take 16 KiB or more");
    }
    return (int) Long.highestOneBit(most);
  }

  /** A place, and a key in three of four. */
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
          "keys of " + block.keyBytes() + " bytes for a sketch of " + keyBytes);
    }
    for (int row = 0; row < block.rows(); row++) {
      items.update(block.key(row), block.weights()[row]);
    }
  }

  @Override
  public void merge(HitterSketch other) {
    if (!(other instanceof FrequentItems sketch) || sketch.keyBytes != keyBytes) {
      throw new IllegalArgumentException("frequent items merge with frequent items of such keys");
    }
    items.merge(sketch.items);
  }

  @Override
  public long total() {
    return items.getStreamLength();
  }

  @Override
  public Estimate estimate(Key key) {
    return new Estimate(items.getEstimate(key), items.getLowerBound(key), items.getUpperBound(key));
  }

  @Override
  public double confidence() {
    return 1;
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    List<Hitter> hitters = new ArrayList<>();
    for (ItemsSketch.Row<Key> row :
        items.getFrequentItems(threshold - 1, ErrorType.NO_FALSE_NEGATIVES)) {
      if (row.getEstimate() >= threshold) {
        Estimate estimate =
            new Estimate(row.getEstimate(), row.getLowerBound(), row.getUpperBound());
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

  @Override
  public void write(BlockBuffer out) {
    byte[] bytes = items.toByteArray(new KeyBytes(keyBytes));
    out.putByte(VERSION);
    out.putByte(algorithm().ordinal());
    out.putByte(keyBytes);
    out.putInt(places);
    out.putInt(bytes.length);
    out.put(bytes, 0, bytes.length);
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
      throw in.broken("no snapshot of frequent items of such keys and this release");
    }
    int length = in.takeInt();
    int at = in.take(length);
    try {
      Memory memory = Memory.wrap(in.bytes()).region(at, length);
      items = ItemsSketch.getInstance(memory, new KeyBytes(keyBytes));
    } catch (RuntimeException e) {
      throw in.broken("no frequent items: " + e);
    }
  }

  /** Keys as the library writes them: their bytes, all of one width. */
  private static final class KeyBytes extends ArrayOfItemsSerDe<Key> {
    private final int keyBytes;

    KeyBytes(int keyBytes) {
      this.keyBytes = keyBytes;
    }

    @Override
    public byte[] serializeToByteArray(Key key) {
      return key.bytes();
    }

    @Override
    public byte[] serializeToByteArray(Key[] keys) {
      byte[] all = new byte[keys.length * keyBytes];
      for (int i = 0; i < keys.length; i++) {
        System.arraycopy(keys[i].bytes(), 0, all, i * keyBytes, keyBytes);
      }
      return all;
    }

    @Override
    public Key[] deserializeFromMemory(Memory memory, long at, int count) {
      if (count < 0 || (long) count * keyBytes > memory.getCapacity() - at) {
        throw new IllegalArgumentException(count + " keys");
      }
      Key[] keys = new Key[count];
      byte[] bytes = new byte[keyBytes];
      for (int i = 0; i < count; i++) {
        memory.getByteArray(at + (long) i * keyBytes, bytes, 0, keyBytes);
        keys[i] = Key.of(bytes);
      }
      return keys;
    }

    @Override
    public int sizeOf(Key key) {
      return keyBytes;
    }

    @Override
    public int sizeOf(Memory memory, long at, int count) {
      return Math.multiplyExact(count, keyBytes);
    }

    @Override
    public String toString(Key key) {
      return key.toString();
    }

    @Override
    public Class<Key> getClassOfT() {
      return Key.class;
    }
  }
}
