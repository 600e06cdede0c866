package io.millrace.analytics.trend;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.hitters.EqualRows;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.hitters.KeyExpressions;
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
 * Extracts keywords from flows: for each kind of key the number of samples, or flow records, with
 * it. Rows of a block with the same key and bucket are combined into one, so that a flow costs no
 * text. Bytes and scaled values are not counted: the model is for counts.
 *
 * <pre>
 *   keyword    name of the kind | blank | bytes of the key
 * </pre>
 *
 * The flows are not changed.
 */
public final class FlowKeywords implements Analyzer<FlowBlock, TableBlock> {
  private static final char BLANK = '\t';

  private final List<HitterKind> kinds;
  private final byte[][] names;
  private final long bucketMicros;

  private final KeyExpressions expressions;
  private final EqualRows equal;

  private long[] buckets = {};

  private int[] counts = {};

  /** An unopened analyzer of kinds with columns only, in buckets of the settings' length. */
  public FlowKeywords(List<HitterKind> kinds, TrendSettings settings) {
    this(kinds, settings, KeyExpressions.NONE);
  }

  /**
   * An unopened analyzer of kinds that may have expressions.
   *
   * @param expressions of the keys; the analyzer closes them
   */
  public FlowKeywords(List<HitterKind> kinds, TrendSettings settings, KeyExpressions expressions) {
    this.kinds = List.copyOf(kinds);
    this.expressions = expressions;
    equal = new EqualRows(settings.seed());
    names =
        kinds.stream()
            .map(kind -> (kind.name().replace(' ', BLANK) + ' ').getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    bucketMicros = settings.bucketMicros();
  }

  static String kind(byte[] bytes, int start, int length) {
    int end = blank(bytes, start, length);
    return new String(bytes, start, end - start, StandardCharsets.UTF_8).replace(BLANK, ' ');
  }

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
    if (buckets.length < count) {
      buckets = new long[flows.capacity()];
      counts = new int[flows.capacity()];
    }
    long[] times = flows.longs(FlowColumn.TIME);
    for (int row = 0; row < count; row++) {
      buckets[row] = Math.floorDiv(times[row], bucketMicros);
    }
    TableBlock keywords = new TableBlock(TrendRows.EVENTS, count);
    for (int kind = 0; kind < names.length; kind++) {
      long[][] words = new long[kinds.get(kind).words()][count];
      kinds.get(kind).write(flows, expressions, words);
      append(equal.find(buckets, words, count), kind, flows, words, keywords);
    }
    out.emit(keywords);
  }

  @Override
  public void close() {
    expressions.close();
  }

  private void append(int found, int kind, FlowBlock flows, long[][] words, TableBlock to) {
    to.reserve(found);
    Arrays.fill(counts, 0, found, 0);
    for (int row = 0; row < flows.rows(); row++) {
      counts[equal.keyOf()[row]]++;
    }
    int[] rows = equal.first();
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
