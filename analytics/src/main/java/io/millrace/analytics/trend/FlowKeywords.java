package io.millrace.analytics.trend;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Keywords of flows: of each kind of key how many samples, or flow records, have it. What has the
 * same key and comes in the same bucket is one row for each block, so that a row of the flows costs
 * no text. Never bytes, and nothing is scaled: the model is for counts.
 *
 * <pre>
 *   keyword    name of the kind | blank | bytes of the key
 * </pre>
 *
 * It only reads the flows.
 */
public final class FlowKeywords implements Analyzer<FlowBlock, TableBlock> {
  private final List<HitterKind> kinds;
  private final byte[][] names;
  private final long bucketMicros;

  /** By a hash of key and bucket, one more than the number of its first row; 0 for none. */
  private int[] slots = {};

  /** For each different key its first row, and how many rows have it. */
  private int[] rows = {};

  private int[] counts = {};

  /** Keys of those kinds, in buckets of that length. */
  public FlowKeywords(List<HitterKind> kinds, TrendSettings settings) {
    this.kinds = List.copyOf(kinds);
    names =
        kinds.stream()
            .map(kind -> (kind.name() + ' ').getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    bucketMicros = settings.bucketMicros();
  }

  /** The name of the kind that a keyword is of. */
  static String kind(byte[] bytes, int start, int length) {
    return new String(bytes, start, blank(bytes, start, length) - start, StandardCharsets.UTF_8);
  }

  /** The key that a keyword has. */
  static Key key(byte[] bytes, int start, int length) {
    int from = blank(bytes, start, length) + 1;
    return Key.of(Arrays.copyOfRange(bytes, from, start + length));
  }

  private static int blank(byte[] bytes, int start, int length) {
    for (int at = start; at < start + length; at++) {
      if (bytes[at] == ' ') {
        return at;
      }
    }
    throw new IllegalArgumentException("a keyword without a kind");
  }

  @Override
  public void process(FlowBlock flows, Emitter<TableBlock> out) {
    int count = flows.rows();
    if (count == 0) {
      return;
    }
    if (rows.length < count) {
      rows = new int[flows.capacity()];
      counts = new int[flows.capacity()];
      slots = new int[2 * Integer.highestOneBit(2 * flows.capacity())];
    }
    TableBlock keywords = new TableBlock(TrendRows.EVENTS, count);
    for (int kind = 0; kind < names.length; kind++) {
      long[][] words = new long[kinds.get(kind).words()][count];
      kinds.get(kind).write(flows, words);
      append(combine(flows.longs(FlowColumn.TIME), words, count), kind, flows, words, keywords);
    }
    out.emit(keywords);
  }

  /** Finds the different keys of the rows; gives how many there are. */
  private int combine(long[] times, long[][] words, int count) {
    Arrays.fill(slots, 0);
    int mask = slots.length - 1;
    int found = 0;
    for (int row = 0; row < count; row++) {
      long bucket = Math.floorDiv(times[row], bucketMicros);
      long hash = bucket;
      for (long[] word : words) {
        hash = (hash ^ word[row]) * 0x9E37_79B9_7F4A_7C15L;
        hash ^= hash >>> 32;
      }
      int at = (int) hash & mask;
      while (slots[at] != 0 && !isSame(times, words, rows[slots[at] - 1], row, bucket)) {
        at = (at + 1) & mask;
      }
      if (slots[at] == 0) {
        rows[found] = row;
        counts[found] = 0;
        slots[at] = ++found;
      }
      counts[slots[at] - 1]++;
    }
    return found;
  }

  private boolean isSame(long[] times, long[][] words, int row, int other, long bucket) {
    for (long[] word : words) {
      if (word[row] != word[other]) {
        return false;
      }
    }
    return Math.floorDiv(times[row], bucketMicros) == bucket;
  }

  private void append(int found, int kind, FlowBlock flows, long[][] words, TableBlock to) {
    to.reserve(found);
    long[] times = flows.longs(FlowColumn.TIME);
    Texts texts = to.texts(1);
    BlockBuffer keyword = new BlockBuffer(names[kind].length + Long.BYTES * words.length);
    int length = names[kind].length + kinds.get(kind).bytes();
    int first = to.rows();
    for (int i = 0; i < found; i++) {
      keyword.clear();
      keyword.put(names[kind], 0, names[kind].length);
      for (long[] word : words) {
        keyword.putLong(Long.reverseBytes(word[rows[i]]));
      }
      texts.add(keyword.bytes(), 0, length);
      to.longs(0)[first + i] = times[rows[i]];
      to.longs(2)[first + i] = counts[i];
    }
    to.rows(first + found);
  }
}
