package io.millrace.analytics.app;

interface Dissector {
  /** Result of a payload. */
  enum Result {
    /** Another protocol. */
    NO,
    /** This protocol, or possibly; more payload helps. */
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
