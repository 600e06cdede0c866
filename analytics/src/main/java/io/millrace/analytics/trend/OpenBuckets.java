package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Open buckets: a table of keyword → count, marks for each. A full key group admits an unknown
 * keyword only if the lower bound of its count would make it a trend. Not thread-safe.
 */
final class OpenBuckets {
  static final int COUNT = 0;
  static final int MARKS = 1;
  static final int COLUMNS = 2;

  /**
   * Maximum number of reusable tables; two buckets are open if rows are late by less than one
   * bucket.
   */
  private static final int MAX_SPARES = 2;

  private static final int WIDEST_SKETCH = 1 << 14;

  private final KeyGroups groups;
  private final long length;
  private final int groupRoom;
  private final long leastNew;
  private final long seed;
  private final ByteKeyTable known;

  private final TreeMap<Long, ByteKeyTable> tables = new TreeMap<>();

  private final AdmissionSketch[] sketches;

  private final int[] places;

  private int fullest;

  private ByteKeyTable current;

  private long currentBegin;

  private final ArrayDeque<ByteKeyTable> spares = new ArrayDeque<>();

  private boolean isRestored;

  /** Blackhole that keeps the reads of {@link #touch} from being eliminated. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  OpenBuckets(
      KeyGroups groups, TrendSettings settings, int groupRoom, long leastNew, ByteKeyTable known) {
    this.groups = groups;
    length = settings.bucketMicros();
    this.groupRoom = groupRoom;
    this.leastNew = leastNew;
    seed = settings.seed();
    this.known = known;
    sketches = new AdmissionSketch[groups.size()];
    places = new int[groups.size()];
  }

  int size() {
    return tables.values().stream().mapToInt(ByteKeyTable::size).sum();
  }

  SortedMap<Long, ByteKeyTable> tables() {
    return tables;
  }

  AdmissionSketch[] sketches() {
    return sketches;
  }

  boolean isCurrent(long micros) {
    return current != null && micros >= currentBegin && micros - currentBegin < length;
  }

  void enter(long bucket) {
    settle();
    current = table(bucket);
    currentBegin = bucket * length;
  }

  private ByteKeyTable table(long bucket) {
    return tables.computeIfAbsent(
        bucket,
        b -> {
          ByteKeyTable spare = spares.poll();
          return spare == null ? new ByteKeyTable(groups, COLUMNS) : spare;
        });
  }

  /** Counts a row, see {@link TrendState#add}; false if its keyword was not admitted. */
  boolean add(int hash, int indexHash, byte[] bytes, int offset, int size, long count, long marks) {
    long added = count;
    if (fullest >= groupRoom && current.find(indexHash, bytes, offset, size) < 0) {
      added = admit(hash, indexHash, bytes, offset, size, count);
      if (added == 0) {
        return false;
      }
    }
    int before = current.size();
    int entry = current.entry(hash, indexHash, bytes, offset, size);
    if (entry == before) {
      int group = group(hash);
      places[group] += KnownKeywords.places(size);
      fullest = Math.max(fullest, places[group]);
    }
    current.values(COUNT)[entry] += added;
    if (marks != 0) {
      current.values(MARKS)[entry] += marks;
    }
    return true;
  }

  void touch(int[] indexHashes, int rows) {
    if (current != null) {
      touched += current.touch(indexHashes, 0, rows);
    }
  }

  private int group(int hash) {
    return groups.groupOf(hash) - groups.first();
  }

  private long admit(int hash, int indexHash, byte[] bytes, int offset, int size, long count) {
    int group = group(hash);
    int taken = places[group];
    if (taken < groupRoom
        || (taken < 2 * groupRoom && known.find(indexHash, bytes, offset, size) >= 0)) {
      return count;
    }
    if (sketches[group] == null) {
      int width = Math.min(WIDEST_SKETCH, Math.max(64, Integer.highestOneBit(groupRoom)));
      sketches[group] = new AdmissionSketch(width, seed);
    }
    long certain = sketches[group].add(currentBegin, bytes, offset, size, count);
    return certain >= leastNew && taken < groupRoom + groupRoom / 2 ? certain : 0;
  }

  ByteKeyTable remove(long bucket) {
    ByteKeyTable counts = tables.remove(bucket);
    if (counts == current) {
      current = null;
    }
    return counts;
  }

  void recycle(ByteKeyTable counts) {
    for (AdmissionSketch sketch : sketches) {
      if (sketch != null) {
        sketch.clear();
      }
    }
    if (counts == null) {
      return;
    }
    for (int i = 0; i < counts.size(); i++) {
      places[group(counts.hash(i))] -= KnownKeywords.places(counts.keyLength(i));
    }
    fullest = Arrays.stream(places).max().orElse(0);
    counts.reset();
    if (spares.size() < MAX_SPARES) {
      spares.add(counts);
    }
  }

  void clear() {
    tables.clear();
    current = null;
    Arrays.fill(places, 0);
    Arrays.fill(sketches, null);
    fullest = 0;
  }

  void restore(long bucket, BlockInput in) {
    table(bucket).restore(in);
    isRestored = true;
    current = null;
  }

  void restore(int group, AdmissionSketch sketch) {
    sketches[group - groups.first()] = sketch;
  }

  void addAll(OpenBuckets other) {
    other.tables.forEach((bucket, counts) -> add(table(bucket), counts));
    isRestored = true;
    current = null;
  }

  private static void add(ByteKeyTable counts, ByteKeyTable more) {
    for (int entry = 0; entry < more.size(); entry++) {
      int own = counts.entry(more, entry);
      for (int column = 0; column < COLUMNS; column++) {
        counts.values(column)[own] += more.values(column)[entry];
      }
    }
  }

  void settle() {
    if (isRestored) {
      isRestored = false;
      Arrays.fill(places, 0);
      for (ByteKeyTable counts : tables.values()) {
        for (int i = 0; i < counts.size(); i++) {
          places[group(counts.hash(i))] += KnownKeywords.places(counts.keyLength(i));
        }
      }
      fullest = Arrays.stream(places).max().orElse(0);
    }
  }
}
