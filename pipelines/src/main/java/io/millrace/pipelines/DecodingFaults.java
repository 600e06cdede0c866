package io.millrace.pipelines;

import io.millrace.wire.block.RawBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports decoding bugs that received data triggers: they cost the value, which the caller rejects
 * and counts, never the job. The first ten are logged with a stack trace. Not thread-safe.
 */
public final class DecodingFaults {
  private static final Logger LOG = LoggerFactory.getLogger(DecodingFaults.class);
  private static final int NAMED = 10;

  private int logged;

  /** Reports a fault. */
  public void add(RawBatch value, RuntimeException fault) {
    if (logged++ < NAMED) {
      LOG.warn(
          "decoding failed at offset {} of partition {}; the value is in the dead letters",
          value.offset(),
          value.partition(),
          fault);
    }
  }
}
