package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.Packet;

/**
 * Says which application a flow is of. Called by one thread, for flows in any order.
 *
 * <p>A flow is looked at until it {@linkplain AppFlow#isDecided is decided}, at the latest when its
 * classifier has seen as much as it wants.
 */
interface Classifier extends AutoCloseable {
  /** What it has noted of a flow, where that is more than garbage collection takes back. */
  interface Notes extends AutoCloseable {
    @Override
    void close();
  }

  /** Whether it looks at whole packets, each by {@link #packet}, and not at payloads. */
  default boolean takesPackets() {
    return false;
  }

  /** Looks at a packet of any kind, and decides the flow itself. */
  default void packet(AppFlow flow, Packet packet) {}

  /**
   * Looks at a packet with payload.
   *
   * @param stream a datagram, or of TCP the direction's first bytes in order
   * @param segment the payload of this packet alone
   */
  void look(AppFlow flow, Packet packet, Payload stream, Payload segment);

  /** Nothing more comes of the flow, or no more of it can be kept: it gets the best guess. */
  void guess(AppFlow flow);

  @Override
  default void close() {}
}
