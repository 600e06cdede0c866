package io.millrace.server.capture;

import io.millrace.wire.block.PacketBlock;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Captured packets of one interface, in the order of their times. Not thread-safe. */
interface PacketSource extends Closeable {
  /** No packet is available. */
  long NONE = Long.MIN_VALUE;

  /** Opens sources, and waits for them. */
  interface Opener {
    /**
     * Starts capture on an interface.
     *
     * @throws IOException if it fails; one line with a remedy
     */
    PacketSource open(String name) throws IOException;

    /** Waits until one of these sources has a packet or has failed, or until the time-out. */
    void await(List<PacketSource> silent, int millis) throws InterruptedException;
  }

  /**
   * Timestamp of the next packet, microseconds since the epoch; {@link #NONE} without one.
   *
   * @throws IOException if the source has failed; says why
   */
  long nextMicros() throws IOException;

  /**
   * Adds the next packet, which must exist, to a writer.
   *
   * @return its length on the wire
   */
  long next(PacketBlock.Writer to);

  /** Packets dropped because the ring was full, since the last call. */
  long newDrops();

  @Override
  void close();
}
