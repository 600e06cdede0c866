package io.millrace.engine.job;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.sink.BlockSink;
import io.millrace.wire.sink.UnrecoverableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An in-memory store that outlives jobs: rows are values of the log, identified by position, and
 * counted each time they become visible. Its sinks fail on request.
 */
final class TestStore {
  /** Position of a value in the log. */
  record Place(int partition, long offset) {}

  /** When a sink fails. */
  enum Fault {
    AT_APPEND,
    BEFORE_FLUSH,
    AFTER_FLUSH,
    AT_REWIND,
    FOR_GOOD
  }

  private record Row(Place place, String value) {}

  /** Sinks are serialised with the job, and find their store here. */
  private static final Map<String, TestStore> STORES = new ConcurrentHashMap<>();

  private final List<Row> visible = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private int appendsUntilFault;
  private long appended;
  private long rewound;
  private int rewinds;
  private Frontier committed = Frontier.EMPTY;
  private Frontier lastRewind;
  private long token;
  private volatile Runnable disk = () -> {};

  static TestStore named(String name) {
    return STORES.computeIfAbsent(name, key -> new TestStore());
  }

  static void forget(String name) {
    STORES.remove(name);
  }

  /** Makes the sinks fail in these ways in sequence, with a number of appends between. */
  synchronized void failing(int appendsBetween, Fault... next) {
    faults.addAll(List.of(next));
    appendsUntilFault = appendsBetween;
  }

  /** Each checkpoint calls this and waits until it returns. */
  void syncing(Runnable next) {
    disk = next;
  }

  synchronized boolean faultsLeft() {
    return !faults.isEmpty();
  }

  private synchronized void fault(Fault here, int appendsUntilNext) {
    if (!faults.isEmpty() && faults.get(0) == here && appendsUntilFault <= 0) {
      faults.remove(0);
      appendsUntilFault = appendsUntilNext;
      if (here == Fault.FOR_GOOD) {
        throw new UnrecoverableException("the store is of a newer release");
      }
      throw new IllegalStateException("the store fails: " + here);
    }
  }

  /** Visible values by position. */
  synchronized Map<Place, List<String>> rows() {
    Map<Place, List<String>> rows = new java.util.HashMap<>();
    visible.forEach(
        row -> rows.computeIfAbsent(row.place(), place -> new ArrayList<>()).add(row.value()));
    return rows;
  }

  synchronized int size() {
    return visible.size();
  }

  /** Appends of all attempts. */
  synchronized long appended() {
    return appended;
  }

  /** Rows deleted by rewinds, over all attempts. */
  synchronized long rewound() {
    return rewound;
  }

  synchronized int rewinds() {
    return rewinds;
  }

  synchronized Frontier committed() {
    return committed;
  }

  synchronized Frontier lastRewind() {
    return lastRewind;
  }

  BlockSink<RawBatch, Frontier> sink() {
    return new Sink();
  }

  private final class Sink implements BlockSink<RawBatch, Frontier> {
    private static final int APPENDS_BETWEEN = 40;

    private final List<Row> unseen = new ArrayList<>();
    private boolean open = true;
    private long mine;

    @Override
    public void rewind(long next, Frontier frontier) {
      fault(Fault.AT_REWIND, APPENDS_BETWEEN);
      synchronized (TestStore.this) {
        if (next <= token) {
          throw new IllegalStateException("token " + next + " is not greater than " + token);
        }
        token = next;
        int before = visible.size();
        visible.removeIf(row -> !frontier.covers(row.place().partition(), row.place().offset()));
        rewound += before - visible.size();
        rewinds++;
        lastRewind = frontier;
      }
    }

    @Override
    public void begin(long granted, long checkpoint) {
      mine = granted;
      synchronized (TestStore.this) {
        checkToken();
      }
    }

    private void checkToken() {
      if (mine != token) {
        throw new IllegalStateException("token " + mine + " is not " + token);
      }
    }

    @Override
    public void append(RawBatch batch) {
      synchronized (TestStore.this) {
        checkToken();
        appended++;
        appendsUntilFault--;
      }
      fault(Fault.AT_APPEND, APPENDS_BETWEEN);
      fault(Fault.FOR_GOOD, APPENDS_BETWEEN);
      unseen.add(
          new Row(
              new Place(batch.partition(), batch.offset()),
              new String(batch.bytes(), 0, batch.length(), StandardCharsets.ISO_8859_1)));
    }

    @Override
    public void flush() {
      fault(Fault.BEFORE_FLUSH, APPENDS_BETWEEN);
      synchronized (TestStore.this) {
        checkToken();
        visible.addAll(unseen);
      }
      unseen.clear();
      fault(Fault.AFTER_FLUSH, 0);
    }

    @Override
    public void sync() {
      disk.run();
    }

    @Override
    public void commit(long checkpoint, Frontier frontier) {
      synchronized (TestStore.this) {
        committed = committed.union(frontier);
      }
    }

    @Override
    public void close() {
      if (!open) {
        throw new IllegalStateException("closed and not opened");
      }
      open = false;
    }
  }
}
