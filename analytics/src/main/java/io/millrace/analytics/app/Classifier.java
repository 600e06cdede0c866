package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.Packet;

/**
 * Says which application a flow is of. Called by one thread, for flows in any order.
 *
 * <p>A flow is looked at until it {@linkplain AppFlow#isDecided is decided}, at the latest when its
 * classifier has seen as much as it wants.
 */
interface Classifier extends AutoCloseable {
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
