package io.millrace.wire.netflow;

import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.block.TableBlock;

/**
 * Observer of a decoder's events other than rows. Called on the decoder's thread: an implementation
 * must return at once, and never throw or block.
 */
public interface Observations extends Rejects, NameSink {
  /** Ignores everything. */
  Observations NONE = (reason, offset) -> {};

  /**
   * Returns the observer of another exporter, whose templates or data were evicted or expired while
   * this datagram was read.
   *
   * @param high upper half of the exporter's address
   * @param low lower half
   * @param port its UDP port
   * @param version 9 or 10
   * @param domain its observation domain
   */
  default Observations of(long high, long low, int port, int version, int domain) {
    return this;
  }

  /** Templates were added (positive) or withdrawn, replaced or evicted (negative). */
  default void templates(int change) {}

  /** A template with a known id and another layout was received. */
  default void templateChanged(int templateId) {}

  /** Rows without a known sampling rate were added; their rate is 1. */
  default void unknownSampling(int rows) {}

  /** An impossible sampling rate was reported and ignored; a reject has the reason. */
  default void rateRejected(long rate) {}

  /**
   * Data records were lost according to IPFIX sequence numbers; negative for late messages whose
   * records were counted as lost.
   */
  default void recordsLost(long records) {}

  /** IPFIX sequence numbers jumped in a way that does not imply losses. */
  default void sequenceDoubted() {}

  /** A data set is held until its template arrives; {@code bytes} is its memory. */
  default void held(int bytes) {}

  /** A held data set has been decoded. */
  default void heldDecoded(int bytes) {}

  /** A held data set was dropped because of its age or a memory limit. */
  default void heldDropped(int bytes) {}

  @Override
  default void name(NameKind kind, long number, String name, String description) {}

  /**
   * Returns the block for NAT events of a datagram, of {@link
   * io.millrace.wire.nat.NatEvents#SCHEMA}; null if they are not needed. In either case they become
   * no rows of flows.
   */
  default TableBlock natEvents() {
    return null;
  }

  /** A session was evicted for another one. */
  default void sessionEvicted() {}
}
