package io.millrace.store.duckdb.sums;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.rollup.RollupSet;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.ChunkFunction;

/**
 * Binary format of {@link BufferSums} between processes of one release. All numbers are
 * little-endian; the values of a column are planes of the narrowest width for their range.
 *
 * <pre>
 *   version (1), part (1), rows (8), oldest (8), newest (8), spread (1)
 *   sets (4): for each its name (length 2, UTF-8), chunks of its groups
 *   minutes (4): for each its number (8), rows (8), newest (8)
 *   chunks of the candidates
 *
 *   chunks: count (4), for each rows (2) and its columns:
 *     0 (1): all are NULL
 *     1 (1): values
 *     2 (1): validity, a plane of words; values
 * </pre>
 *
 * <p>Stateless.
 */
public final class SumsCodec {
  private static final int VERSION = 1;
  private static final int ALL_NULL = 0;
  private static final int NO_NULL = 1;
  private static final int SOME_NULL = 2;
  private static final int WORDS = ChunkFunction.CAPACITY / Long.SIZE;

  private SumsCodec() {}

  /** Appends sums that were made with a plan. */
  public static void write(SumPlan plan, BufferSums sums, BlockBuffer out) {
    out.putByte(VERSION);
    out.putByte(sums.part().ordinal());
    out.putLong(sums.rows());
    out.putLong(sums.oldest());
    out.putLong(sums.newest());
    out.putByte(sums.isSpread() ? 1 : 0);
    out.putInt(plan.sets().size());
    for (RollupSet set : plan.sets()) {
      byte[] name = set.name().getBytes(StandardCharsets.UTF_8);
      out.putShort(name.length);
      out.put(name, 0, name.length);
      write(sums.groups(set.name()), plan.groups(set), out);
    }
    out.putInt(sums.minutes().size());
    sums.minutes()
        .forEach(
            (minute, its) -> {
              out.putLong(minute);
              out.putLong(its.rows());
              out.putLong(its.newest());
            });
    write(sums.candidates(), plan.columns(), out);
  }

  private static void write(
      List<ChunkFunction.Chunk> chunks, List<ChunkFunction.Column> columns, BlockBuffer out) {
    out.putInt(chunks.size());
    long[] scratch = new long[2 * ChunkFunction.CAPACITY];
    for (ChunkFunction.Chunk chunk : chunks) {
      out.putShort(chunk.rows());
      for (int column = 0; column < columns.size(); column++) {
        write(chunk, column, columns.get(column).type(), scratch, out);
      }
    }
  }

  private static void write(
      ChunkFunction.Chunk chunk,
      int column,
      ChunkFunction.Type type,
      long[] scratch,
      BlockBuffer out) {
    ByteBuffer values = chunk.values(column);
    if (values == null) {
      out.putByte(ALL_NULL);
      return;
    }
    long[] validity = chunk.validity(column);
    out.putByte(validity == null ? NO_NULL : SOME_NULL);
    if (validity != null) {
      out.putLongs(validity, WORDS);
    }
    int n = chunk.rows();
    ByteBuffer in = values.duplicate().order(ByteOrder.nativeOrder());
    switch (type) {
      case INTEGER -> {
        for (int i = 0; i < n; i++) {
          scratch[i] = in.getInt(i * Integer.BYTES);
        }
        out.putLongs(scratch, n);
      }
      case BIGINT, TIMESTAMP -> {
        in.asLongBuffer().get(0, scratch, 0, n);
        out.putLongs(scratch, n);
      }
      case UUID -> {
        for (int half = 0; half < 2; half++) {
          for (int i = 0; i < n; i++) {
            scratch[i] = in.getLong((2 * i + half) * Long.BYTES);
          }
          out.putLongs(scratch, n);
        }
      }
    }
  }

  /**
   * Reads sums.
   *
   * @param plan plan with which they were made
   * @param mostBytes maximum memory of the sums
   * @return null if they need more
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are malformed, or the sums
   *     were made with another plan
   */
  static BufferSums read(SumPlan plan, BlockInput in, long mostBytes) {
    return new Reader(in, mostBytes).read(plan);
  }

  /** Reads all bytes, but keeps no chunks once they need too much memory. */
  private static final class Reader {
    private final BlockInput in;
    private final long mostBytes;
    private final long[] scratch = new long[ChunkFunction.CAPACITY];
    private long bytes;

    Reader(BlockInput in, long mostBytes) {
      this.in = in;
      this.mostBytes = mostBytes;
    }

    BufferSums read(SumPlan plan) {
      in.takeVersion(VERSION, "sums");
      int ordinal = in.takeByte();
      if (ordinal >= FlowPart.values().length) {
        throw in.broken("unknown part " + ordinal);
      }
      long rows = in.takeLong();
      long oldest = in.takeLong();
      long newest = in.takeLong();
      boolean isSpread = in.takeByte() != 0;
      int sets = in.takeInt();
      if (sets != plan.sets().size()) {
        throw in.broken(sets + " sets of sums, expected " + plan.sets().size());
      }
      Map<String, List<ChunkFunction.Chunk>> groups = new TreeMap<>();
      for (RollupSet set : plan.sets()) {
        int length = in.takeShort();
        String name = new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
        if (!name.equals(set.name())) {
          throw in.broken("sums of set " + name + ", expected " + set.name());
        }
        groups.put(name, chunks(plan.groups(set)));
      }
      Map<Long, BufferSums.MinuteRows> minutes = minutes();
      List<ChunkFunction.Chunk> candidates = chunks(plan.columns());
      return bytes > mostBytes
          ? null
          : new BufferSums(
              FlowPart.values()[ordinal],
              rows,
              oldest,
              newest,
              isSpread,
              groups,
              minutes,
              candidates,
              bytes);
    }

    private Map<Long, BufferSums.MinuteRows> minutes() {
      int count = in.takeInt();
      if (count < 0 || count > in.remaining() / (3 * Long.BYTES)) {
        throw in.broken(Integer.toUnsignedString(count) + " minutes, more than the bytes left");
      }
      Map<Long, BufferSums.MinuteRows> minutes = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        minutes.put(in.takeLong(), new BufferSums.MinuteRows(in.takeLong(), in.takeLong()));
      }
      bytes += 3L * Long.BYTES * count;
      return minutes;
    }

    private List<ChunkFunction.Chunk> chunks(List<ChunkFunction.Column> columns) {
      int count = in.takeInt();
      if (count < 0 || count > in.remaining()) {
        throw in.broken(Integer.toUnsignedString(count) + " chunks, more than the bytes left");
      }
      List<ChunkFunction.Chunk> chunks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ChunkCopy chunk = chunk(columns);
        if (bytes <= mostBytes) { // else the sums are discarded
          chunks.add(chunk);
        }
      }
      return chunks;
    }

    private ChunkCopy chunk(List<ChunkFunction.Column> columns) {
      int rows = in.takeShort();
      if (rows > ChunkFunction.CAPACITY) {
        throw in.broken("chunk of " + rows + " rows, maximum " + ChunkFunction.CAPACITY);
      }
      ByteBuffer[] values = new ByteBuffer[columns.size()];
      long[][] validity = new long[columns.size()][];
      for (int column = 0; column < values.length; column++) {
        int nulls = in.takeByte();
        if (nulls == SOME_NULL) {
          validity[column] = new long[WORDS];
          in.takeLongs(validity[column], WORDS);
          bytes += (long) WORDS * Long.BYTES;
        } else if (nulls != ALL_NULL && nulls != NO_NULL) {
          throw in.broken("unknown kind of column " + nulls);
        }
        if (nulls != ALL_NULL) {
          values[column] = values(columns.get(column).type(), rows);
          bytes += values[column].capacity();
        }
      }
      return new ChunkCopy(rows, values, validity);
    }

    private ByteBuffer values(ChunkFunction.Type type, int rows) {
      ByteBuffer values = ByteBuffer.allocate(rows * type.width()).order(ByteOrder.nativeOrder());
      switch (type) {
        case INTEGER -> {
          in.takeLongs(scratch, rows);
          for (int i = 0; i < rows; i++) {
            values.putInt(i * Integer.BYTES, (int) scratch[i]);
          }
        }
        case BIGINT, TIMESTAMP -> {
          in.takeLongs(scratch, rows);
          values.asLongBuffer().put(0, scratch, 0, rows);
        }
        case UUID -> {
          for (int half = 0; half < 2; half++) {
            in.takeLongs(scratch, rows);
            for (int i = 0; i < rows; i++) {
              values.putLong((2 * i + half) * Long.BYTES, scratch[i]);
            }
          }
        }
      }
      return values;
    }
  }
}
