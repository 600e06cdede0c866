package io.millrace.datasets;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The place of a data set that may be changed for a newer one while joins run.
 *
 * <p>Each joining thread has a {@link Reader} and asks it for the look-up once a block, so that one
 * block is joined with one content. {@link #swap} never waits; the older set is closed by whoever
 * leaves it last. All methods but those of {@link Reader} are safe for use by many threads.
 */
public final class DatasetHandle implements AutoCloseable {
  private volatile Generation current;

  /** Takes over a data set, and will close it. */
  public DatasetHandle(Dataset first) {
    current = new Generation(first);
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
    older.leave();
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
      current.leave();
      current = Generation.CLOSED;
    }
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
      Generation newer = enter();
      close();
      generation = newer;
      lookup = newer.dataset.newLookup();
      return true;
    }

    /** The set of the last {@link #refresh}. */
    public Dataset dataset() {
      return generation.dataset;
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
