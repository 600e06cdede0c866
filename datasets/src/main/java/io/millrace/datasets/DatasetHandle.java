package io.millrace.datasets;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The place of a data set that may be changed for a newer one while joins run.
 *
 * <p>Each joining thread has a {@link Reader} and asks it for the look-up once a block, so that one
 * block is joined with one content. {@link #swap} never waits. The content before the newest is
 * kept, for those who are at a point of the stream where it holds; an older one is closed by
 * whoever leaves it last. All methods but those of {@link Reader} are safe for use by many threads.
 */
public final class DatasetHandle implements AutoCloseable {
  private static final int KEPT = 2;

  private volatile Generation current;

  /** The newest first; guarded by this. */
  private final Deque<Generation> kept = new ArrayDeque<>();

  /** Takes over a data set, and will close it. */
  public DatasetHandle(Dataset first) {
    current = new Generation(first);
    kept.addFirst(current);
  }

  /**
   * Puts a newer set in place of the present one.
   *
   * @throws IllegalArgumentException if its fields are others, since columns depend on them; the
   *     present set stays, the newer one is not closed
   */
  public synchronized void swap(Dataset newer) {
    Generation older = current;
    if (!newer.fields().equals(older.dataset.fields())) {
      throw new IllegalArgumentException(
          "data set "
              + newer.name()
              + " has the fields "
              + newer.fields()
              + " in place of "
              + older.dataset.fields());
    }
    current = new Generation(newer);
    kept.addFirst(current);
    if (kept.size() > KEPT) {
      kept.removeLast().leave();
    }
  }

  /** The present set; only a {@link Reader} keeps it from being closed. */
  public Dataset current() {
    return current.dataset;
  }

  /** A reader for one thread. */
  public Reader newReader() {
    return new Reader();
  }

  /** Lets go of the set; it closes when the last reader has. */
  @Override
  public synchronized void close() {
    if (current != Generation.CLOSED) {
      kept.forEach(Generation::leave);
      kept.clear();
      current = Generation.CLOSED;
    }
  }

  /** The newest content that meets a condition, for one more; null if none does. */
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
        throw new IllegalStateException("the data set is closed");
      }
      if (generation.enter()) {
        return generation;
      }
    }
  }

  /** One thread's view. Not thread-safe. */
  public final class Reader implements AutoCloseable {
    private Generation generation;
    private Lookup lookup;

    private Reader() {}

    /**
     * Goes on to the newest set, at the start of a block.
     *
     * @return whether it is another than before: ordinals now mean other texts
     */
    public boolean refresh() {
      if (generation == current) {
        return false;
      }
      go(enter());
      return true;
    }

    /**
     * Goes to the newest of the contents here that is wanted; stays where none is.
     *
     * @return whether one is: {@link #dataset} and {@link #lookup} are its then
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

    /** The set that it is at; null before the first {@link #refresh}. */
    public Dataset dataset() {
      return generation == null ? null : generation.dataset;
    }

    /** The way into it. */
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

  /** A data set and how many hold it: the handle itself and its readers. */
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
