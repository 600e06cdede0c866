package io.millrace.store.duckdb.sums;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.rollup.RollupSet;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.duckdb.ChunkFunction;

/** Sums are equal after encoding and decoding. */
class SumsCodecPropertyTest {
  private static final List<ChunkFunction.Column> COLUMNS =
      List.of(
          new ChunkFunction.Column("time", ChunkFunction.Type.TIMESTAMP),
          new ChunkFunction.Column("src_addr", ChunkFunction.Type.UUID),
          new ChunkFunction.Column("dst_port", ChunkFunction.Type.INTEGER),
          new ChunkFunction.Column("packets", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("bytes", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("sampling_rate", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("flow_start", ChunkFunction.Type.TIMESTAMP),
          new ChunkFunction.Column("flow_end", ChunkFunction.Type.TIMESTAMP),
          new ChunkFunction.Column("log_partition", ChunkFunction.Type.INTEGER),
          new ChunkFunction.Column("log_offset", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("log_index", ChunkFunction.Type.INTEGER));

  private static final SumPlan PLAN =
      new SumPlan(
          COLUMNS,
          List.of(
              new RollupSet("port", List.of("dst_port")),
              new RollupSet("src", List.of("src_addr", "dst_port"))),
          3_600_000_000L,
          600_000_000L,
          true);

  private static ChunkCopy rows(SplittableRandom random, int rows, boolean hasFlows) {
    ByteBuffer[] columns = new ByteBuffer[COLUMNS.size()];
    long[][] valid = new long[COLUMNS.size()][];
    long start = 1_700_000_000_000_000L;
    for (int column = 0; column < columns.length; column++) {
      ChunkFunction.Column of = COLUMNS.get(column);
      if (of.name().startsWith("flow_") && !hasFlows) {
        continue; // all NULL
      }
      boolean mayBeNull = column > 0 && !of.name().startsWith("log_") && random.nextBoolean();
      ByteBuffer values =
          ByteBuffer.allocate(rows * of.type().width()).order(ByteOrder.nativeOrder());
      if (mayBeNull) {
        valid[column] = new long[ChunkFunction.CAPACITY / Long.SIZE];
        Arrays.fill(valid[column], -1);
      }
      for (int row = 0; row < rows; row++) {
        long value =
            switch (of.name()) {
              case "time" -> start + random.nextLong(240_000_000);
              case "flow_start" -> start - random.nextLong(600_000_000);
              case "flow_end" -> start - random.nextLong(100_000_000);
              case "bytes" -> random.nextInt(10) == 0 ? 1L << 40 : random.nextLong(1_500);
              case "log_index" -> row;
              default -> random.nextLong(20);
            };
        switch (of.type()) {
          case INTEGER -> values.putInt((int) value);
          case UUID -> values.putLong(value).putLong(value * 0x9E3779B97F4A7C15L);
          default -> values.putLong(value);
        }
        if (mayBeNull && random.nextInt(5) == 0) {
          valid[column][row >> 6] &= ~(1L << row);
        }
      }
      columns[column] = values.flip();
    }
    return new ChunkCopy(rows, columns, valid);
  }

  private static BufferSums sums(long seed, int rows) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean hasFlows = random.nextBoolean();
    List<ChunkFunction.Chunk> chunks = new ArrayList<>();
    int left = rows;
    while (left > 0) {
      int some = Math.min(left, ChunkFunction.CAPACITY);
      chunks.add(rows(random, some, hasFlows));
      left -= some;
    }
    return BufferSums.of(
        PLAN, hasFlows ? FlowPart.RECORDS : FlowPart.PACKETS, chunks, Long.MAX_VALUE);
  }

  private static BlockBuffer write(BufferSums sums) {
    BlockBuffer out = new BlockBuffer(1 << 10);
    SumsCodec.write(PLAN, sums, out);
    return out;
  }

  private static BufferSums read(SumPlan plan, BlockBuffer out, int length, long mostBytes) {
    return SumsCodec.read(plan, new BlockInput(out.bytes(), 0, length), mostBytes);
  }

  /** Values of all rows; NULL regardless of the bytes in its place. */
  private static List<String> text(
      List<ChunkFunction.Chunk> chunks, List<ChunkFunction.Column> columns) {
    List<String> rows = new ArrayList<>();
    for (ChunkFunction.Chunk chunk : chunks) {
      for (int row = 0; row < chunk.rows(); row++) {
        StringBuilder text = new StringBuilder();
        for (int column = 0; column < columns.size(); column++) {
          ByteBuffer values = chunk.values(column);
          long[] valid = values == null ? null : chunk.validity(column);
          boolean isNull = values == null || (valid != null && (valid[row >> 6] >>> row & 1) == 0);
          text.append('|').append(isNull ? "" : value(values, columns.get(column).type(), row));
        }
        rows.add(text.toString());
      }
    }
    return rows;
  }

  private static String value(ByteBuffer values, ChunkFunction.Type type, int row) {
    return switch (type) {
      case INTEGER -> Integer.toString(values.getInt(row * 4));
      case UUID -> values.getLong(row * 16) + ":" + values.getLong(row * 16 + 8);
      default -> Long.toString(values.getLong(row * 8));
    };
  }

  @Property(tries = 100)
  void comeBack(@ForAll long seed, @ForAll @IntRange(max = 5_000) int rows) {
    BufferSums sums = sums(seed, rows);
    BlockBuffer out = write(sums);
    BufferSums read = read(PLAN, out, out.length(), Long.MAX_VALUE);
    assertThat(read.part()).isEqualTo(sums.part());
    assertThat(read.rows()).isEqualTo(rows);
    assertThat(read.oldest()).isEqualTo(sums.oldest());
    assertThat(read.newest()).isEqualTo(sums.newest());
    assertThat(read.isSpread()).isEqualTo(sums.isSpread());
    for (RollupSet set : PLAN.sets()) {
      assertThat(text(read.groups(set.name()), PLAN.groups(set)))
          .isEqualTo(text(sums.groups(set.name()), PLAN.groups(set)));
    }
    assertThat(text(read.candidates(), COLUMNS)).isEqualTo(text(sums.candidates(), COLUMNS));
    assertThat(read.minutes()).isEqualTo(sums.minutes());
  }

  @Property(tries = 200)
  void brokenBytesAreRejected(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    BlockBuffer out = write(sums(seed, random.nextInt(300)));
    int cut = random.nextInt(out.length());
    assertThatThrownBy(() -> read(PLAN, out, cut, Long.MAX_VALUE))
        .isInstanceOf(BlockFormatException.class);
    for (int i = 0; i < 3; i++) {
      out.bytes()[random.nextInt(out.length())] = (byte) random.nextInt();
    }
    try {
      BufferSums read = read(PLAN, out, out.length(), 1 << 20);
      assertThat(read == null || read.bytes() <= 1 << 20).isTrue();
    } catch (BlockFormatException e) {
      assertThat(e).hasMessageContaining("byte");
    }
  }

  @Property(tries = 5)
  void sumsOfAnotherPlanAreRejected(@ForAll long seed) {
    SumPlan other = new SumPlan(COLUMNS, List.of(PLAN.sets().get(1)), 1, 1, true);
    SumPlan named =
        new SumPlan(COLUMNS, List.of(PLAN.sets().get(1), PLAN.sets().get(0)), 1, 1, true);
    BlockBuffer out = write(sums(seed, 100));
    for (SumPlan plan : List.of(other, named)) {
      assertThatThrownBy(() -> read(plan, out, out.length(), Long.MAX_VALUE))
          .isInstanceOf(BlockFormatException.class)
          .hasMessageContaining("expected");
    }
  }

  @Property(tries = 5)
  void tooLargeSumsAreOmitted(@ForAll long seed) {
    BlockBuffer out = write(sums(seed, 5_000));
    assertThat(read(PLAN, out, out.length(), 10_000)).isNull();
  }
}
