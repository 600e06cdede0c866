package io.millrace.lab.records;

import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The steps of a pipeline of two streams, on one thread, and what they will get. */
public abstract class Lane {
  private final RecordBlocks first;
  private final RecordBlocks second;
  private final List<Part> parts = new ArrayList<>();

  /** What comes between two watermarks. */
  private record Part(List<TableBlock> first, List<TableBlock> second, long watermark, long due) {}

  /** A lane that has got nothing yet. */
  protected Lane(RecordBlocks first, RecordBlocks second) {
    this.first = first;
    this.second = second;
  }

  /** Takes records of the first stream. */
  public final RecordTarget first() {
    return first;
  }

  /** Takes records of the second stream. */
  public final RecordTarget second() {
    return second;
  }

  /**
   * Advances event time past that moment, after the rows taken so far.
   *
   * @param due when all of it has come, on the clock of event time
   */
  final void mark(long watermark, long due) {
    parts.add(new Part(first.take(), second.take(), watermark, due));
  }

  /** Works on all that was taken. */
  public final void run() throws Exception {
    runPaced(() -> Long.MAX_VALUE);
  }

  /**
   * The same, each part when it is due.
   *
   * @param clock event time now, in microseconds, as if records were made now
   */
  public final void runPaced(LongSupplier clock) throws Exception {
    for (Part part : parts) {
      for (long left; (left = part.due - clock.getAsLong()) > 0; ) {
        LockSupport.parkNanos(left * 1_000);
      }
      run(part.first, part.second, part.watermark, clock);
    }
    parts.clear();
  }

  /** Lets the steps work on the records of both streams, and then on the watermark. */
  protected abstract void run(
      List<TableBlock> first, List<TableBlock> second, long watermark, LongSupplier clock)
      throws Exception;
}
