package io.millrace.pipelines;

import io.millrace.wire.block.RawBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of faults of ours in decoding what a stranger sent: they cost what was being decoded, which
 * is set aside and counted by who calls, and never the job. The first ten are told with their
 * trace. Not thread-safe.
 */
public final class DecodingFaults {
  private static final Logger LOG = LoggerFactory.getLogger(DecodingFaults.class);
  private static final int NAMED = 10;

  private int told;

  /** Takes note of one. */
  public void add(RawBatch value, RuntimeException fault) {
    if (told++ < NAMED) {
      LOG.warn(
          "decoding failed at offset {} of partition {}; what failed is a dead letter",
          value.offset(),
          value.partition(),
          fault);
    }
  }
}
