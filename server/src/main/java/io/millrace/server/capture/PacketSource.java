package io.millrace.server.capture;

import io.millrace.wire.block.PacketBlock;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** The captured packets of one interface, in the order of their times. Not thread-safe. */
interface PacketSource extends Closeable {
  /** There is no packet at the moment. */
  long NONE = Long.MIN_VALUE;

  /** Opens sources, and waits for them. */
  interface Opener {
    /**
     * Captures the packets of an interface from now on.
     *
     * @throws IOException if it cannot; one line that says what to do
     */
    PacketSource open(String name) throws IOException;

    /** Waits until one of these sources has a packet or has failed, or the time is over. */
    void await(List<PacketSource> silent, int millis) throws InterruptedException;
  }

  /**
   * When the next packet was captured, microseconds since the epoch; {@link #NONE} without one.
   *
   * @throws IOException if nothing comes any more; says why
   */
  long nextMicros() throws IOException;

  /**
   * Adds that packet to a writer; there must be one.
   *
   * @return its length on the wire
   */
  long next(PacketBlock.Writer to);

  /** Packets that were dropped for want of room since the last call. */
  long newDrops();

  @Override
  void close();
}
