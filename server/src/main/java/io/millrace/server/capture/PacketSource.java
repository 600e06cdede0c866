package io.millrace.server.capture;

import io.millrace.wire.block.PacketBlock;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Captured packets of one interface, in time order. Not thread-safe. */
interface PacketSource extends Closeable {
  /** Result of {@link #nextMicros} if no packet is available. */
  long NONE = Long.MIN_VALUE;

  /** Opens sources and waits for their packets. */
  interface Opener {
    /**
     * Starts capture on an interface.
     *
     * @throws IOException if the start fails; the message is one line with a remedy
     */
    PacketSource open(String name) throws IOException;

    /** Waits until one of the sources has a packet or has failed, or the time-out has passed. */
    void await(List<PacketSource> silent, int millis) throws InterruptedException;
  }

  /**
   * Timestamp of the next packet, microseconds since the epoch; {@link #NONE} without one.
   *
   * @throws IOException if the source has failed
   */
  long nextMicros() throws IOException;

  /**
   * Adds the next packet to a writer; call only if there is one.
   *
   * @return length of the packet on the wire
   */
  long next(PacketBlock.Writer to);

  /** Number of packets dropped because the ring was full, since the last call. */
  long newDrops();

  @Override
  void close();
}
