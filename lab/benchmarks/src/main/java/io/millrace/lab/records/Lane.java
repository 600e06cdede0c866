package io.millrace.lab.records;

import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The steps of a pipeline of two streams, on one thread, with their pending input. */
public abstract class Lane {
  private final RecordBlocks first;
  private final RecordBlocks second;
  private final List<Part> parts = new ArrayList<>();

  /** Records between two watermarks. */
  private record Part(List<TableBlock> first, List<TableBlock> second, long watermark, long due) {}

  /** Creates an empty lane. */
  protected Lane(RecordBlocks first, RecordBlocks second) {
    this.first = first;
    this.second = second;
  }

  /** Returns the target of records of the first stream. */
  public final RecordTarget first() {
    return first;
  }

  /** Returns the target of records of the second stream. */
  public final RecordTarget second() {
    return second;
  }

  /**
   * Advances event time beyond a watermark, after the rows taken so far.
   *
   * @param due when all these rows have arrived, in event time
   */
  final void mark(long watermark, long due) {
    parts.add(new Part(first.take(), second.take(), watermark, due));
  }

  /** Processes all pending records. */
  public final void run() throws Exception {
    runPaced(() -> Long.MAX_VALUE);
  }

  /**
   * Processes all pending records, those before each watermark when they are due.
   *
   * @param clock current event time in microseconds, as if records were created now
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

  /** Processes the records of both streams and then the watermark. */
  protected abstract void run(
      List<TableBlock> first, List<TableBlock> second, long watermark, LongSupplier clock)
      throws Exception;
}
