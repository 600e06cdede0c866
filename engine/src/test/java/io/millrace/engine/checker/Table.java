package io.millrace.engine.checker;

import io.millrace.engine.sink.RewindableTarget;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The store: rows that readers see, whatever becomes of the job. Each life of the job writes under
 * a ticket that is greater than those before; a rewind closes the table to smaller ones.
 *
 * <p>With every change it is checked that no row is visible twice, and that the rows that a
 * completed checkpoint covers stay as they are: none goes away, none is added among them.
 */
final class Table {
  /** A writer of a life that is over was refused. */
  static final class RefusedException extends Exception {
    RefusedException(long ticket, long holds) {
      super("ticket " + ticket + " is refused, " + holds + " holds");
    }
  }

  private final Breakage breakage;
  private final List<Row> visible = new ArrayList<>();
  private long ticket;
  private Frontier committed = Frontier.EMPTY;
  private Set<Row> promised = Set.of();
  private String violation;

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

  /** Ticket of the last rewind. */
  long ticket() {
    return ticket;
  }

  Target target(long ofTicket) {
    return new Target(ofTicket);
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
    covered.removeIf(row -> !row.coveredBy(committed));
    return covered;
  }

  /** A subtask's way to the table. */
  final class Target implements RewindableTarget<RawBatch> {
    private final long mine;
    private final List<Row> unseen = new ArrayList<>();

    private Target(long mine) {
      this.mine = mine;
    }

    private void checkTicket() throws RefusedException {
      if (mine < ticket && breakage != Breakage.NO_FENCE) {
        throw new RefusedException(mine, ticket);
      }
    }

    @Override
    public void open() {}

    @Override
    public void rewind(Frontier frontier) throws RefusedException {
      checkTicket();
      ticket = Math.max(ticket, mine);
      if (breakage != Breakage.NO_REWIND) {
        visible.removeIf(row -> !row.coveredBy(frontier));
      }
      check("a rewind to " + frontier.next());
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
    public void flush() throws RefusedException {
      if (unseen.isEmpty()) {
        return;
      }
      checkTicket();
      visible.addAll(unseen);
      unseen.clear();
      check("a flush under ticket " + mine);
    }

    @Override
    public void committed(long checkpointId, Frontier frontier) throws RefusedException {
      checkTicket();
      committed = committed.union(frontier);
      promised = covered();
    }

    @Override
    public void close() {
      unseen.clear();
    }
  }
}
