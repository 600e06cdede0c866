package io.millrace.datasets;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Handle of a data set that can be replaced while joins run.
 *
 * <p>Each joining thread has a {@link Reader}, which it refreshes once per block, so that a block
 * is joined with one version. {@link #swap} never blocks. The previous version is kept for readers
 * at an earlier position of the stream; older versions are closed by their last reader. Methods are
 * thread-safe, except those of {@link Reader}.
 */
public final class DatasetHandle implements AutoCloseable {
  private static final int KEPT = 2;

  private volatile Generation current;

  /** Newest first; guarded by this. */
  private final Deque<Generation> kept = new ArrayDeque<>();

  /** Takes ownership of a data set. */
  public DatasetHandle(Dataset first) {
    current = new Generation(first);
    kept.addFirst(current);
  }

  /**
   * Replaces the current set.
   *
   * @throws IllegalArgumentException if the fields differ, since columns depend on them; the
   *     current set is kept, the newer one is not closed
   */
  public synchronized void swap(Dataset newer) {
    Generation older = current;
    if (!newer.fields().equals(older.dataset.fields())) {
      throw new IllegalArgumentException(
          "data set "
              + newer.name()
              + " with fields "
              + newer.fields()
              + " cannot replace one with "
              + older.dataset.fields());
    }
    current = new Generation(newer);
    kept.addFirst(current);
    if (kept.size() > KEPT) {
      kept.removeLast().leave();
    }
  }

  /** The current set, which may be closed at any time unless a {@link Reader} holds it. */
  public Dataset current() {
    return current.dataset;
  }

  /** Creates a reader for one thread. */
  public Reader newReader() {
    return new Reader();
  }

  /** Releases the set; the last reader closes it. */
  @Override
  public synchronized void close() {
    if (current != Generation.CLOSED) {
      kept.forEach(Generation::leave);
      kept.clear();
      current = Generation.CLOSED;
    }
  }

  /** Acquires the newest matching version; null if none matches. */
  private synchronized Generation enter(Predicate<Dataset> wanted) {
    for (Generation generation : kept) {
      if (wanted.test(generation.dataset) && generation.enter()) {
        return generation;
      }
    }
    return null;
  }

  private Generation enter() {
    while (true) {
      Generation generation = current;
      if (generation == Generation.CLOSED) {
        throw new IllegalStateException("data set is closed");
      }
      if (generation.enter()) {
        return generation;
      }
    }
  }

  /** View of one thread. Not thread-safe. */
  public final class Reader implements AutoCloseable {
    private Generation generation;
    private Lookup lookup;

    private Reader() {}

    /**
     * Advances to the newest set, at the start of a block.
     *
     * @return whether the set changed, so that ordinals have changed too
     */
    public boolean refresh() {
      if (generation == current) {
        return false;
      }
      go(enter());
      return true;
    }

    /**
     * Moves to the newest matching version; stays if none matches.
     *
     * @return whether the current set matches
     */
    public boolean goTo(Predicate<Dataset> wanted) {
      if (generation != null && wanted.test(generation.dataset)) {
        return true;
      }
      Generation other = enter(wanted);
      if (other == null) {
        return false;
      }
      go(other);
      return true;
    }

    private void go(Generation other) {
      close();
      generation = other;
      lookup = other.dataset.newLookup();
    }

    /** The reader's current set; null before the first {@link #refresh}. */
    public Dataset dataset() {
      return generation == null ? null : generation.dataset;
    }

    /** Lookup in the current set. */
    public Lookup lookup() {
      return lookup;
    }

    @Override
    public void close() {
      if (generation != null) {
        generation.leave();
        generation = null;
        lookup = null;
      }
    }
  }

  /** A version with a count of its users: the handle and its readers. */
  private static final class Generation {
    static final Generation CLOSED = new Generation(null);

    final Dataset dataset;
    private final AtomicInteger holders = new AtomicInteger(1);

    Generation(Dataset dataset) {
      this.dataset = dataset;
    }

    boolean enter() {
      int seen = holders.get();
      while (seen > 0) {
        if (holders.compareAndSet(seen, seen + 1)) {
          return true;
        }
        seen = holders.get();
      }
      return false;
    }

    void leave() {
      if (holders.decrementAndGet() == 0) {
        dataset.close();
      }
    }
  }
}
