package io.millrace.pipelines;

import io.millrace.wire.block.RawBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports bugs in decoding that received data triggers. Only the value is lost, which the caller
 * rejects and counts; the job continues. The first ten are logged with a stack trace. Not
 * thread-safe.
 */
public final class DecodingFaults {
  private static final Logger LOG = LoggerFactory.getLogger(DecodingFaults.class);
  private static final int NAMED = 10;

  private int logged;

  /** Reports a fault. */
  public void add(RawBatch value, RuntimeException fault) {
    if (logged++ < NAMED) {
      LOG.warn(
          "cannot decode the value at offset {} of partition {}; it is written to the dead letters",
          value.offset(),
          value.partition(),
          fault);
    }
  }
}
