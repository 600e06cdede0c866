package io.millrace.analytics.app;

interface Dissector {
  /** Result of a payload. */
  enum Result {
    /** Not this protocol. */
    NO,
    /** This protocol is certain or possible; pass more payload. */
    MORE,
    /** This protocol, and the flow is updated. */
    DONE
  }

  /**
   * Examines a payload.
   *
   * @param flow is updated
   * @param payload a datagram; in TCP the stream's first bytes received so far
   */
  Result dissect(AppFlow flow, Payload payload);
}
