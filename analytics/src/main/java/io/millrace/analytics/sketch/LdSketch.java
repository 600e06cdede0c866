package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * LD-Sketch of Huang and Lee, "LD-Sketch: A distributed sketching design for accurate and scalable
 * anomaly detection in network data streams" (INFOCOM 2014), and "A hybrid local and distributed
 * sketching design for accurate and scalable heavy key detection in network data streams" (Computer
 * Networks, 2015): each bucket counts some of its keys; a heavier bucket counts more keys.
 *
 * <pre>
 *   bucket  | V: weight of all keys | E: subtracted weight | next → | weight, key |
 *   piece   | next → | weight, key | weight, key | weight, key | weight, key |
 * </pre>
 *
 * A key without an entry takes a free one; a full bucket is extended if allowed, else the least
 * weight among its entries and the key is subtracted from all of them. A bucket with V in k T ≤ V <
 * (k + 1) T may have (k + 1)(k + 2) − 1 entries. The papers' T is a part of a threshold known in
 * advance. Here it is twice the mean weight of a bucket so far, once a bucket has {@value
 * #ROWS_BEFORE_PIECES} rows on average, and a bucket has at most {@value #MAX_ENTRIES} entries, so
 * that no threshold is needed and an update is bounded.
 *
 * <p>The algorithm is that of the paper of 2014. <b>Bounds</b>, certain, and derived here: a key's
 * weight is at least that of its entry and at most E more. Each subtraction applies to the l
 * entries of the time and a further key, so E ≤ (V − Σ entries) / (l + 1) for the least such l. The
 * least upper bound of all rows is the estimate, or 0 for a key without an entry.
 *
 * <p><b>Good for</b> several workers: {@link WorkerSplit} sends each key to d of q, and in little
 * memory reports of all d are more precise than one report. It can be merged too.
 */
public final class LdSketch extends CellSketch {
  private static final int ROWS = 2;
  private static final int MAX_ENTRIES = 11;
  private static final int ENTRIES = 4;
  private static final int ROWS_BEFORE_PIECES = 16;

  private static final int ERROR = 1;
  private static final int NEXT = 2;
  private static final int ENTRY = 3;
  private static final int KEY = 1;

  private final int entryCells;
  private final int pieceCells;
  private final int firstPiece;

  /** Two numbers after all cells: start of the next piece, and number of added rows. */
  private final int freePiece;

  private final int rowsAdded;

  private final long[] key;

  /** An empty sketch of at most {@code memory} bytes, half of them for pieces. */
  public LdSketch(int keyBytes, long memory, long seed) {
    this(
        keyBytes,
        width(ROWS, ENTRY + entryCells(keyBytes), memory / 2),
        pieces(keyBytes, memory),
        seed);
  }

  private LdSketch(int keyBytes, int width, int pieces, long seed) {
    super(
        keyBytes,
        ROWS,
        width,
        ENTRY + entryCells(keyBytes),
        Math.addExact(Math.multiplyExact(pieces, 1 + ENTRIES * entryCells(keyBytes)), 2),
        seed);
    entryCells = entryCells(keyBytes);
    pieceCells = 1 + ENTRIES * entryCells;
    firstPiece = ROWS * width * stride;
    freePiece = cells.length - 2;
    rowsAdded = cells.length - 1;
    cells[freePiece] = firstPiece;
    key = new long[keyWords];
  }

  private static int entryCells(int keyBytes) {
    return KEY + KeyBlock.words(keyBytes);
  }

  private static int pieces(int keyBytes, long memory) {
    return (int) ((memory / 2 / Long.BYTES - 2) / (1 + ENTRIES * entryCells(keyBytes)));
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.LD;
  }

  @Override
  public double confidence() {
    return 1;
  }

  @Override
  public HitterSketch fresh() {
    return new LdSketch(keyBytes, width, (freePiece - firstPiece) / pieceCells, seed());
  }

  @Override
  void add(KeyBlock block, int from, int count) {
    cells[rowsAdded] += count;
    long unit = unit();
    for (int row = 0; row < ROWS; row++) {
      locate(row, block, from, count, places);
      for (int i = 0; i < count; i++) {
        for (int word = 0; word < keyWords; word++) {
          key[word] = block.word(word)[from + i];
        }
        int bucket = (int) places[i];
        cells[bucket] += block.weights()[from + i];
        if (block.weights()[from + i] != 0) {
          addEntry(bucket, block.weights()[from + i], unit);
        }
      }
    }
  }

  /** The T of the papers: weight that extends a bucket. */
  private long unit() {
    return cells[rowsAdded] < (long) ROWS_BEFORE_PIECES * width
        ? Long.MAX_VALUE
        : 1 + 2 * total() / width;
  }

  private void addEntry(int bucket, long weight, long unit) {
    int free = 0;
    int last = 0;
    int length = 0;
    for (int piece = bucket + NEXT; piece != 0; piece = (int) cells[piece]) {
      last = piece;
      for (int entry = piece + 1; entry < end(piece); entry += entryCells, length++) {
        if (cells[entry] == 0) {
          free = entry;
        } else if (isKey(entry + KEY, key)) {
          cells[entry] += weight;
          return;
        }
      }
    }
    if (free == 0 && mayGrow(length, cells[bucket] / unit)) {
      cells[last] = cells[freePiece];
      cells[freePiece] += pieceCells;
      free = (int) cells[last] + 1;
    }
    if (free != 0) {
      setEntry(free, weight);
    } else {
      subtract(bucket, weight);
    }
  }

  private int end(int piece) {
    return piece + (piece < firstPiece ? 1 + entryCells : pieceCells);
  }

  private boolean mayGrow(int length, long units) {
    long k = Math.min(units, MAX_ENTRIES); // prevents an overflow of its square
    return length < MAX_ENTRIES
        && length < (k + 1) * (k + 2) - 1
        && cells[freePiece] + pieceCells <= freePiece;
  }

  private void setEntry(int entry, long weight) {
    cells[entry] = weight;
    System.arraycopy(key, 0, cells, entry + KEY, keyWords);
  }

  private void subtract(int bucket, long weight) {
    long min = weight;
    for (int piece = bucket + NEXT; piece != 0; piece = (int) cells[piece]) {
      for (int entry = piece + 1; entry < end(piece); entry += entryCells) {
        min = Math.min(min, cells[entry]);
      }
    }
    cells[bucket + ERROR] += min;
    int free = 0;
    for (int piece = bucket + NEXT; piece != 0; piece = (int) cells[piece]) {
      for (int entry = piece + 1; entry < end(piece); entry += entryCells) {
        cells[entry] -= min;
        free = cells[entry] == 0 ? entry : free;
      }
    }
    if (weight > min) {
      setEntry(free, weight - min);
    }
  }

  @Override
  public Estimate estimate(Key key) {
    long lower = 0;
    long upper = Long.MAX_VALUE;
    for (int row = 0; row < ROWS; row++) {
      int bucket = cell(row, key.words(), 0);
      long counted = counted(bucket, key.words());
      lower = Math.max(lower, counted);
      upper = Math.min(upper, counted + cells[bucket + ERROR]);
    }
    return new Estimate(lower == 0 ? 0 : upper, lower, upper);
  }

  private long counted(int bucket, long[] words) {
    for (int piece = bucket + NEXT; piece != 0; piece = (int) cells[piece]) {
      for (int entry = piece + 1; entry < end(piece); entry += entryCells) {
        if (cells[entry] != 0 && isKey(entry + KEY, words)) {
          return cells[entry];
        }
      }
    }
    return 0;
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    Set<Key> seen = new HashSet<>();
    List<Hitter> hitters = new ArrayList<>();
    for (int bucket = 0; bucket < firstPiece; bucket += stride) {
      long min = threshold - cells[bucket + ERROR];
      for (int piece = bucket + NEXT; piece != 0; piece = (int) cells[piece]) {
        for (int entry = piece + 1; entry < end(piece); entry += entryCells) {
          if (cells[entry] != 0 && cells[entry] >= min && seen.add(key(entry + KEY))) {
            addIfHeavy(key(entry + KEY), threshold, hitters);
          }
        }
      }
    }
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  private void addIfHeavy(Key key, long threshold, List<Hitter> hitters) {
    Estimate estimate = estimate(key);
    if (estimate.value() >= threshold) {
      hitters.add(new Hitter(key, estimate));
    }
  }

  /** Sums the weights and subtractions; then adds the entries as rows. */
  @Override
  void merge(long[] part, long[] others) {
    cells[rowsAdded] += others[rowsAdded];
    long unit = unit();
    for (int bucket = 0; bucket < firstPiece; bucket += stride) {
      cells[bucket] += others[bucket];
      cells[bucket + ERROR] += others[bucket + ERROR];
      for (int piece = bucket + NEXT; piece != 0; piece = (int) others[piece]) {
        for (int entry = piece + 1; entry < end(piece); entry += entryCells) {
          if (others[entry] != 0) {
            System.arraycopy(others, entry + KEY, key, 0, keyWords);
            addEntry(bucket, others[entry], unit);
          }
        }
      }
    }
  }

  /** For tests: weight, subtracted weight and sum of entries of each bucket. */
  long[] buckets() {
    long[] buckets = new long[ROWS * width * 3];
    for (int i = 0; i < ROWS * width; i++) {
      int bucket = i * stride;
      buckets[3 * i] = cells[bucket];
      buckets[3 * i + 1] = cells[bucket + ERROR];
      for (int piece = bucket + NEXT; piece != 0; piece = (int) cells[piece]) {
        for (int entry = piece + 1; entry < end(piece); entry += entryCells) {
          buckets[3 * i + 2] += cells[entry];
        }
      }
    }
    return buckets;
  }

  /** Pieces must begin at piece boundaries, belong to one bucket, and have no negative values. */
  @Override
  void check(BlockInput in) {
    BitSet taken = new BitSet();
    for (int bucket = 0; bucket < firstPiece; bucket += stride) {
      if (cells[bucket] < 0 || cells[bucket + ERROR] < 0 || cells[bucket + ENTRY] < 0) {
        throw in.broken("bucket with a negative value");
      }
      for (long piece = cells[bucket + NEXT]; piece != 0; piece = cells[(int) piece]) {
        checkPiece(in, piece, taken);
      }
    }
    long free = cells[freePiece];
    boolean isStart = (free - firstPiece) % pieceCells == 0;
    if (free < firstPiece || free > freePiece || !isStart || taken.length() > free) {
      throw in.broken("a free piece at " + free);
    }
    if (cells[rowsAdded] < 0) {
      throw in.broken(cells[rowsAdded] + " rows");
    }
  }

  private void checkPiece(BlockInput in, long piece, BitSet taken) {
    boolean isWithin = piece >= firstPiece && piece + pieceCells <= freePiece;
    if (!isWithin || (piece - firstPiece) % pieceCells != 0 || taken.get((int) piece)) {
      throw in.broken("a piece at " + piece);
    }
    taken.set((int) piece);
    for (int entry = (int) piece + 1; entry < piece + pieceCells; entry += entryCells) {
      if (cells[entry] < 0) {
        throw in.broken("an entry with a negative weight");
      }
    }
  }
}
