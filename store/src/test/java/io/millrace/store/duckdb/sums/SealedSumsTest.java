package io.millrace.store.duckdb.sums;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.rollup.RollupSet;
import io.millrace.wire.block.Frontier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.duckdb.ChunkFunction;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long sums are kept, and their maximum memory. */
class SealedSumsTest {
  private static final long MINUTE = 60_000_000L;
  private static final int MEMORY = 1 << 20;
  private static final int ROWS = ChunkFunction.CAPACITY;

  /** Columns of a table of flows; all but those of {@link Rows} are NULL. */
  private static final List<ChunkFunction.Column> COLUMNS =
      List.of(
          new ChunkFunction.Column("time", ChunkFunction.Type.TIMESTAMP),
          new ChunkFunction.Column("dst_port", ChunkFunction.Type.INTEGER),
          new ChunkFunction.Column("packets", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("bytes", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("sampling_rate", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("flow_start", ChunkFunction.Type.TIMESTAMP),
          new ChunkFunction.Column("flow_end", ChunkFunction.Type.TIMESTAMP),
          new ChunkFunction.Column("log_partition", ChunkFunction.Type.INTEGER),
          new ChunkFunction.Column("log_offset", ChunkFunction.Type.BIGINT),
          new ChunkFunction.Column("log_index", ChunkFunction.Type.INTEGER));

  private static final List<String> NULL = List.of("flow_start", "flow_end", "sampling_rate");

  private DuckDBConnection connection;
  private SealedSums sums;

  /** A full chunk. */
  private record Rows(IntToLongFunction time, IntToLongFunction port, long bytes)
      implements ChunkFunction.Chunk {
    @Override
    public int rows() {
      return ROWS;
    }

    @Override
    public ByteBuffer values(int column) {
      ChunkFunction.Column of = COLUMNS.get(column);
      if (NULL.contains(of.name())) {
        return null;
      }
      ByteBuffer values =
          ByteBuffer.allocate(ROWS * of.type().width()).order(ByteOrder.nativeOrder());
      for (int row = 0; row < ROWS; row++) {
        long value =
            switch (of.name()) {
              case "time" -> time.applyAsLong(row);
              case "dst_port" -> port.applyAsLong(row);
              case "bytes" -> bytes;
              default -> row;
            };
        if (of.type() == ChunkFunction.Type.INTEGER) {
          values.putInt((int) value);
        } else {
          values.putLong(value);
        }
      }
      return values.flip();
    }

    @Override
    public long[] validity(int column) {
      return null;
    }
  }

  @BeforeEach
  void start() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    sums = new SealedSums("flows", COLUMNS, 4 * MEMORY);
    sums.start(
        connection, List.of(new RollupSet("port", List.of("dst_port"))), 3_600_000_000L, 0, true);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private BufferSums sum(IntToLongFunction time, IntToLongFunction port, int chunks) {
    Rows rows = new Rows(time, port, 100);
    return sums.sum(FlowPart.PACKETS, List.of(copies(rows, chunks)));
  }

  private static ChunkFunction.Chunk[] copies(ChunkFunction.Chunk rows, int chunks) {
    ChunkFunction.Chunk[] all = new ChunkFunction.Chunk[chunks];
    Arrays.fill(all, rows);
    return all;
  }

  private static Frontier upTo(long offset) {
    return new Frontier(Map.of(0, offset));
  }

  private static LogRange range(long from, long to) {
    return new LogRange(upTo(from), upTo(to));
  }

  private long number(String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  @Test
  void groupsOfConsecutiveCommitsAreReadTogether() throws SQLException {
    sums.committed(range(0, 1), List.of(sum(row -> 0, row -> row % 7, 1)));
    sums.committed(range(1, 2), List.of(sum(row -> MINUTE, row -> row % 5, 2)));
    SealedSums.Run run = sums.after(upTo(0)).orElseThrow();
    assertThat(run.range()).isEqualTo(range(0, 2));
    assertThat(run.rows()).isEqualTo(3L * ROWS);
    try (SealedSums.Shown shown = sums.show(run)) {
      assertThat(number("SELECT sum(rows) FROM " + shown.groups("port"))).isEqualTo(3L * ROWS);
      assertThat(number("SELECT count(*) FROM " + shown.groups("port"))).isEqualTo(12);
      assertThat(number("SELECT sum(bytes) FROM " + shown.groups("port") + " WHERE bucket = 1"))
          .isEqualTo(2L * ROWS * 100);
      assertThat(shown.minutes(FlowPart.PACKETS)).containsOnlyKeys(0L, 1L);
      assertThat(number("SELECT count(*) FROM " + shown.candidates(FlowPart.PACKETS)))
          .isBetween(2L * SampleCandidates.MAX_ROWS, 4L * SampleCandidates.MAX_ROWS);
    }
  }

  /** Rows of the gap are only in files, and later ones must not be counted before them. */
  @Test
  void commitsWithoutSumsEndARun() {
    BufferSums some = sum(row -> 0, row -> 1, 1);
    sums.committed(range(0, 1), List.of(some));
    sums.committed(range(1, 2), Arrays.asList(some, null));
    sums.committed(range(2, 3), List.of(some));
    assertThat(sums.after(upTo(0)).orElseThrow().range()).isEqualTo(range(0, 1));
    assertThat(sums.after(upTo(1))).isEmpty();
    assertThat(sums.next(upTo(1))).contains(upTo(2));
    assertThat(sums.after(upTo(2)).orElseThrow().range()).isEqualTo(range(2, 3));
    sums.release(upTo(2));
    assertThat(sums.after(upTo(0))).isEmpty();
    assertThat(sums.after(upTo(2))).isPresent();
  }

  @Test
  void rowsWithTooLargeSumsHaveNone() {
    assertThat(sum(row -> row * MINUTE, row -> 1, 1)).as("a minute each").isNull();
    assertThat(sum(row -> 0, row -> 1, 40)).as("one group").isNotNull();
    assertThat(
            sums.sum(
                FlowPart.PACKETS,
                List.of(new Rows(row -> 0, row -> 1, 1L << 60), new Rows(row -> 0, row -> 1, 1))))
        .as("a sum beyond 64 bits")
        .isNull();
  }

  /** The rollups need the oldest sums first. */
  @Test
  void newCommitsHaveNoSumsWhileMemoryIsFull() {
    long kept = 0;
    for (BufferSums some; (some = sum(row -> 0, row -> row, 1)) != null; kept++) {
      sums.committed(range(kept, kept + 1), List.of(some));
    }
    assertThat(sums.after(upTo(0)).orElseThrow().range()).isEqualTo(range(0, kept));
    sums.release(upTo(kept - 1));
    BufferSums next = sum(row -> 0, row -> row, 1);
    sums.committed(range(kept + 1, kept + 2), List.of(next));
    assertThat(sums.after(upTo(kept - 1)).orElseThrow().range()).isEqualTo(range(kept - 1, kept));
    assertThat(sums.next(upTo(kept))).contains(upTo(kept + 1));
  }

  @Test
  void sumsBeyondTheMemoryAreNotKept() {
    BufferSums some = sum(row -> 0, row -> row, 1);
    for (int i = 0; i < 100; i++) {
      sums.committed(range(i, i + 1), List.of(some));
    }
    assertThat(sums.after(upTo(0))).isPresent();
    assertThat(sums.after(upTo(99))).isEmpty();
  }
}
