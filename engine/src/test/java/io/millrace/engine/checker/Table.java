package io.millrace.engine.checker;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.sink.BlockSink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The store: rows that readers see. Each attempt of the job writes with a greater token than all
 * previous ones; a rewind fences smaller ones.
 *
 * <p>Each change checks that no row is visible twice, and that rows covered by a completed
 * checkpoint stay unchanged: none is deleted or added.
 */
final class Table {
  /** A writer of a former attempt was rejected. */
  static final class RejectedException extends RuntimeException {
    RejectedException(long token, long holds) {
      super("token " + token + " is rejected, " + holds + " holds");
    }
  }

  private final Breakage breakage;
  private final List<Row> visible = new ArrayList<>();
  private long token;
  private Frontier committed = Frontier.EMPTY;
  private Set<Row> promised = Set.of();
  private String violation;
  private int rewound;
  private int rejected;

  Table(Breakage breakage) {
    this.breakage = breakage;
  }

  /** Visible rows, in order. */
  List<Row> rows() {
    return visible.stream().sorted().toList();
  }

  /** The first violation; null if there was none. */
  String violation() {
    return violation;
  }

  /** Rows deleted by rewinds. */
  int rewound() {
    return rewound;
  }

  /** Rejected calls of former attempts. */
  int rejected() {
    return rejected;
  }

  Sink sink() {
    return new Sink();
  }

  private void check(String after) {
    if (violation != null) {
      return;
    }
    if (new HashSet<>(visible.stream().map(row -> List.of(row.partition(), row.offset())).toList())
            .size()
        < visible.size()) {
      violation = "a row is visible twice after " + after + ": " + rows();
    }
    Set<Row> covered = covered();
    if (!covered.equals(promised)) {
      violation = "committed rows changed at " + after + ": were " + promised + ", are " + covered;
    }
  }

  private Set<Row> covered() {
    Set<Row> covered = new HashSet<>(visible);
    covered.removeIf(row -> !isCovered(row, committed));
    return covered;
  }

  private boolean isCovered(Row row, Frontier frontier) {
    return frontier.covers(Scenario.partition(row.partition(), breakage), row.offset());
  }

  /** Rejects rows of a former attempt, unless that is the defect. */
  private void checkToken(long mine) {
    boolean stale = breakage == Breakage.REWIND_AFTER_APPEND ? mine < token : mine != token;
    if (stale && breakage != Breakage.ROWS_NOT_FENCED) {
      rejected++;
      throw new RejectedException(mine, token);
    }
  }

  /** A subtask's access to the table. */
  final class Sink implements BlockSink<RawBatch, Frontier> {
    private final List<Row> unseen = new ArrayList<>();
    private long mine;

    @Override
    public void rewind(long granted, Frontier frontier) {
      if (granted <= token && breakage != Breakage.REWINDS_NOT_FENCED) {
        rejected++;
        throw new RejectedException(granted, token);
      }
      token = Math.max(token, granted);
      if (breakage != Breakage.NO_REWIND) {
        int before = visible.size();
        visible.removeIf(row -> !isCovered(row, frontier));
        rewound += before - visible.size();
      }
      check("a rewind to " + frontier.next());
    }

    @Override
    public void begin(long granted, long checkpoint) {
      mine = granted;
    }

    @Override
    public void append(RawBatch block) {
      unseen.add(
          new Row(block.partition(), block.offset(), Numbers.key(block), Numbers.number(block)));
    }

    /** Whether there are rows that are not visible yet. */
    boolean hasUnseen() {
      return !unseen.isEmpty();
    }

    /** Called by the store's own threads at any time, and by every flush. */
    @Override
    public void flush() {
      if (unseen.isEmpty()) {
        return;
      }
      checkToken(mine);
      visible.addAll(unseen);
      unseen.clear();
      check("a flush under token " + mine);
    }

    @Override
    public void commit(long checkpoint, Frontier frontier) {
      checkToken(mine);
      committed = committed.union(frontier);
      promised = covered();
    }

    @Override
    public void close() {
      unseen.clear();
    }
  }
}
