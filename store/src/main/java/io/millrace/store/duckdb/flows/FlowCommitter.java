package io.millrace.store.duckdb.flows;

import io.millrace.pulse.Pulse;
import io.millrace.pulse.Worker;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.RowArrivals;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.MemoryShortage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.duckdb.DuckDBConnection;

/**
 * Writes to one table on a thread of its own: writers fill chunks and go on while the database
 * compresses, writes and waits for the disk.
 *
 * <p>Several writers share one. So rows come together fast, and a commit is large long before a row
 * has waited for long; and what decodes and joins never waits for the disk, but for room when the
 * database is the slower one.
 *
 * <p>A failure ends the thread, and every call fails from then on with its message; a job that
 * starts again rewinds the table, which begins with a new committer.
 */
final class FlowCommitter {
  private static final long SPACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final String table;
  private final DiskSpace space;
  private final RowArrivals arrivals;
  private final long longestWaitNanos;
  private final Map<FlowPart, FlowLane> lanes = new EnumMap<>(FlowPart.class);
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Condition done = lock.newCondition();
  private final Condition memory = lock.newCondition();

  // All below is guarded by the lock.
  private List<CounterTables.Sums> counters = new ArrayList<>();
  private long flushesAsked;
  private long flushesDone;
  private boolean isClosed;
  private Throwable failure;

  FlowCommitter(
      DuckDBConnection connection,
      String table,
      Map<FlowPart, FlowLayout> layouts,
      NameDictionary names,
      Duration longestWait,
      LongConsumer newest,
      RowChanges changes,
      DiskSpace space)
      throws SQLException {
    this.table = table;
    this.space = space;
    arrivals = changes.arrivals(table);
    longestWaitNanos = longestWait.toNanos();
    for (Map.Entry<FlowPart, FlowLayout> part : layouts.entrySet()) {
      lanes.put(
          part.getKey(),
          new FlowLane(
              Connections.another(connection),
              table,
              part.getKey().tableName(table),
              part.getValue(),
              names,
              newest,
              changes));
    }
    thread = Pulse.thread("store-" + table, Duration.ZERO, this::run);
    thread.start();
  }

  void append(FlowPart part, FlowRows rows) {
    FlowLane lane = lanes.get(part);
    rows.report(arrivals);
    lock.lock();
    try {
      boolean wasIdle = lane.pendingRows() == 0;
      for (boolean isV4 : new boolean[] {true, false}) {
        for (int from = 0; from < rows.count(isV4); ) {
          awaitRoom(lane);
          int n = rows.fill(lane, isV4, from);
          from += n;
          wasIdle |= lane.fullChunks() > 0;
        }
      }
      if (wasIdle) {
        work.signal();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      lock.unlock();
    }
  }

  private void awaitRoom(FlowLane lane) throws InterruptedException {
    check();
    while (lane.isCongested()) {
      work.signal();
      room.await();
      check();
    }
  }

  void add(List<CounterTables.Sums> sums) {
    lock.lock();
    try {
      check();
      counters.addAll(sums);
    } finally {
      lock.unlock();
    }
  }

  void flush() {
    lock.lock();
    try {
      check();
      long mine = ++flushesAsked;
      work.signal();
      while (flushesDone < mine) {
        done.await();
        check();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      lock.unlock();
    }
  }

  private static StoreException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new StoreException("interrupted while rows were on their way to the store", e);
  }

  private void check() {
    if (failure != null) {
      throw failed("write to", failure);
    }
    if (isClosed) {
      throw new StoreException("table " + table + " was rewound or closed under its writers", null);
    }
  }

  private StoreException failed(String what, Throwable e) {
    return new StoreException(
        "cannot " + what + " table " + table + ": " + DiskFailures.explain(e), e);
  }

  long pendingRows() {
    lock.lock();
    try {
      return lanes.values().stream().mapToLong(FlowLane::pendingRows).sum();
    } finally {
      lock.unlock();
    }
  }

  private void run(Pulse pulse) {
    lock.lock();
    try {
      while (!isClosed) {
        if (pendingRows() > 0 && space.isShort()) {
          work.awaitNanos(SPACE_NANOS);
        } else if (!step()) {
          work.awaitNanos(untilDue());
        }
      }
    } catch (InterruptedException | SQLException | RuntimeException | Error e) {
      failure = e; // writers pass it on to the job, which restarts with a new thread
      room.signalAll();
      done.signalAll();
      if (e instanceof OutOfMemoryError) {
        pulse.stop(e);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean step() throws SQLException, InterruptedException {
    boolean isBusy = flushIfAsked();
    for (FlowLane lane : lanes.values()) {
      isBusy |= step(lane);
    }
    return isBusy;
  }

  private boolean step(FlowLane lane) throws SQLException, InterruptedException {
    if (!lane.isFull() && appendNext(lane)) {
      return true;
    }
    FlowLane.Due due = lane.due(System.nanoTime(), longestWaitNanos);
    if (due == FlowLane.Due.NOTHING) {
      return false;
    }
    commit(lane, due == FlowLane.Due.ALL);
    return true;
  }

  private boolean appendNext(FlowLane lane) throws SQLException {
    FlowChunk full = lane.nextFull();
    if (full == null) {
      return false;
    }
    room.signalAll();
    append(lane, full);
    return true;
  }

  private void append(FlowLane lane, FlowChunk chunk) throws SQLException {
    lock.unlock();
    try {
      lane.append(chunk);
    } finally {
      lock.lock();
    }
  }

  private void commit(FlowLane lane, boolean withOpenChunks)
      throws SQLException, InterruptedException {
    if (withOpenChunks) {
      for (FlowChunk open : lane.takeOpen()) {
        append(lane, open);
      }
    }
    List<CounterTables.Sums> sums = counters;
    counters = new ArrayList<>();
    while (!isClosed && !tryCommit(lane, sums)) {
      var unused = memory.awaitNanos(MemoryShortage.PAUSE_NANOS);
    }
  }

  private boolean tryCommit(FlowLane lane, List<CounterTables.Sums> sums) throws SQLException {
    lock.unlock();
    try {
      return lane.commit(sums);
    } finally {
      lock.lock();
      lane.giveBack();
    }
  }

  private boolean flushIfAsked() throws SQLException, InterruptedException {
    long asked = flushesAsked;
    if (asked == flushesDone) {
      return false;
    }
    for (FlowLane lane : lanes.values()) {
      for (int chunks = lane.fullChunks(); chunks > 0; chunks--) { // not those that come meanwhile
        appendNext(lane);
      }
      if (lane.pendingRows() > 0 || lane.isFull() || !counters.isEmpty()) {
        commit(lane, true);
      }
    }
    flushesDone = asked;
    done.signalAll();
    return true;
  }

  private long untilDue() {
    long now = System.nanoTime();
    long nanos = TimeUnit.HOURS.toNanos(1);
    for (FlowLane lane : lanes.values()) {
      nanos = Math.min(nanos, lane.untilDue(now, longestWaitNanos));
    }
    return nanos;
  }

  void close() throws SQLException {
    lock.lock();
    try {
      isClosed = true;
      memory.signalAll();
      work.signal();
      room.signalAll();
      done.signalAll();
    } finally {
      lock.unlock();
    }
    Worker.awaitEnd(thread); // the connections are its own until then
    for (FlowLane lane : lanes.values()) {
      lane.close();
    }
  }
}
