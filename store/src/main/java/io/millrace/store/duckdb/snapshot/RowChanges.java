package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.offsets.RowArrivals;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.RowGroupMemory;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the commits that change rows of flows, so that what one transaction has read of all rows
 * serves the next ones too, until the next commit. Thread-safe.
 *
 * <p>A transaction sees the state of a number for certain if that was the number before it began
 * and still is when it has read something: then no commit lay between.
 */
public class RowChanges {
  /** A commit is on its way: a transaction that begins now may see it or not. */
  public static final long UNSETTLED = -1;

  private final CommitMemory memory;
  private final RowGroupMemory rowGroups = new RowGroupMemory();
  private final Map<String, RowArrivals> arrivals = new ConcurrentHashMap<>();
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();

  /** A commit of rows, or a whole transaction that ends in one. */
  public interface Commit {
    void run() throws SQLException;
  }

  /** Of a table that nobody queries meanwhile. */
  public RowChanges() {
    this(CommitMemory.UNSHARED);
  }

  /**
   * @param memory of the commits
   */
  public RowChanges(CommitMemory memory) {
    this.memory = memory;
  }

  /** That of the commits. */
  public CommitMemory memory() {
    return memory;
  }

  /** What the commits leave in memory. */
  public RowGroupMemory rowGroups() {
    return rowGroups;
  }

  /** Those of the rows of a table. */
  public RowArrivals arrivals(String table) {
    return arrivals.computeIfAbsent(table, name -> new RowArrivals());
  }

  /** Begins with the arrivals reported before the file was closed and opened anew. */
  public void follow(RowChanges before) {
    before.arrivals.forEach((table, old) -> arrivals(table).follow(old));
  }

  /** Runs a commit. */
  public void during(Commit commit) throws SQLException {
    begun.incrementAndGet();
    try {
      memory.during(commit::run);
    } finally {
      ended.incrementAndGet();
    }
  }

  /** The number of the state that everybody sees, or {@link #UNSETTLED}. */
  public long state() {
    long before = ended.get(); // first: what begins afterwards makes the other one greater
    return begun.get() == before ? before : UNSETTLED;
  }
}
