package io.millrace.engine.checker;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.sink.BlockSink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The store: rows that readers see, whatever becomes of the job. Each life of the job writes under
 * a token that is greater than those before; a rewind closes the table to smaller ones.
 *
 * <p>With every change it is checked that no row is visible twice, and that the rows that a
 * completed checkpoint covers stay as they are: none goes away, none is added among them.
 */
final class Table {
  /** A writer of a life that is over was refused. */
  static final class RefusedException extends RuntimeException {
    RefusedException(long token, long holds) {
      super("token " + token + " is refused, " + holds + " holds");
    }
  }

  private final Breakage breakage;
  private final List<Row> visible = new ArrayList<>();
  private long token;
  private Frontier committed = Frontier.EMPTY;
  private Set<Row> promised = Set.of();
  private String violation;
  private int rewound;
  private int refused;

  Table(Breakage breakage) {
    this.breakage = breakage;
  }

  /** What readers see, in order. */
  List<Row> rows() {
    return visible.stream().sorted().toList();
  }

  /** The first breach that was seen; null if there was none. */
  String violation() {
    return violation;
  }

  /** Rows that rewinds have taken away. */
  int rewound() {
    return rewound;
  }

  /** Calls of lives that are over, refused. */
  int refused() {
    return refused;
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

  /** Refuses rows of an earlier life, unless it is just this that is broken. */
  private void checkToken(long mine) {
    boolean stale = breakage == Breakage.REWIND_AFTER_APPEND ? mine < token : mine != token;
    if (stale && breakage != Breakage.ROWS_NOT_FENCED) {
      refused++;
      throw new RefusedException(mine, token);
    }
  }

  /** A subtask's way to the table. */
  final class Sink implements BlockSink<RawBatch, Frontier> {
    private final List<Row> unseen = new ArrayList<>();
    private long mine;

    @Override
    public void rewind(long granted, Frontier frontier) {
      if (granted <= token && breakage != Breakage.REWINDS_NOT_FENCED) {
        refused++;
        throw new RefusedException(granted, token);
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

    /** Whether rows wait to be made visible. */
    boolean hasUnseen() {
      return !unseen.isEmpty();
    }

    /** What the store's own threads do at any time, and every flush does. */
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
