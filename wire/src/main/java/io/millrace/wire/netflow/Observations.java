package io.millrace.wire.netflow;

import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.block.TableBlock;

/**
 * What a decoder notices besides rows. Called on the decoder's thread, in the middle of its work:
 * an implementation counts and returns, it never throws or blocks.
 */
public interface Observations extends Rejects, NameSink {
  /** Counts nothing. */
  Observations NONE = (reason, offset) -> {};

  /**
   * Who hears of what becomes of another exporter's templates and data, while a datagram makes room
   * or time goes on.
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

  /** Templates came to be known (positive) or were withdrawn, replaced or evicted (negative). */
  default void templates(int change) {}

  /** A template came with another layout than the one that had its id. */
  default void templateChanged(int templateId) {}

  /** Rows were made whose sampling rate nobody told; they say 1. */
  default void unknownSampling(int rows) {}

  /** A sampling rate was told that cannot be, and is not used; a reject says why. */
  default void rateRefused(long rate) {}

  /**
   * Data records that the exporter sent and that did not arrive, by IPFIX' sequence numbers;
   * negative where a late message brought some that had been taken for lost.
   */
  default void recordsLost(long records) {}

  /** The sequence numbers of an IPFIX exporter leapt in a way that says nothing about losses. */
  default void sequenceDoubted() {}

  /**
   * A data set was put aside until its template comes; {@code bytes} is what it takes in memory.
   */
  default void held(int bytes) {}

  /** A data set that was put aside has been decoded. */
  default void heldDecoded(int bytes) {}

  /** A data set without template was given up, for its age or for want of room. */
  default void heldDropped(int bytes) {}

  @Override
  default void name(NameKind kind, long number, String name, String description) {}

  /**
   * Takes the NAT events of a datagram, of {@link io.millrace.wire.nat.NatEvents#SCHEMA}; null if
   * nobody wants them. They make no rows of flows either way.
   */
  default TableBlock natEvents() {
    return null;
  }

  /** A session was forgotten to make room for another. */
  default void sessionEvicted() {}
}
