package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.Packet;

/**
 * Classifier of flows by application. Called by one thread, for flows in any order.
 *
 * <p>A flow is passed until it {@linkplain AppFlow#isDecided is decided}.
 */
interface Classifier extends AutoCloseable {
  /** State of a flow with native resources to release. */
  interface FlowState extends AutoCloseable {
    @Override
    void close();
  }

  /** Whether to call {@link #classifyPacket} instead of {@link #classify}. */
  default boolean takesPackets() {
    return false;
  }

  /** Classifies by a packet of any kind, and decides the flow itself. */
  default void classifyPacket(AppFlow flow, Packet packet) {}

  /**
   * Classifies by a packet with payload.
   *
   * @param stream a datagram, or in TCP the direction's first bytes in order
   * @param segment payload of this packet
   */
  void classify(AppFlow flow, Packet packet, Payload stream, Payload segment);

  /** Decides by the best guess; called when the flow ends or no more of its payload can be kept. */
  void guess(AppFlow flow);

  @Override
  default void close() {}
}
