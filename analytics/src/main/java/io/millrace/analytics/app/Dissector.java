package io.millrace.analytics.app;

/** Knows one protocol, or a family of them, by its payload. Used by one thread. */
interface Dissector {
  /** What a look has brought. */
  enum Result {
    /** It is something else. */
    NO,
    /** It is this, or may be, and more is to be learned from what follows. */
    MORE,
    /** It is this, and the flow says what is known. */
    DONE
  }

  /**
   * Looks at a payload.
   *
   * @param flow is told what is found
   * @param payload a datagram; of TCP the stream's first bytes as far as they are there
   */
  Result look(AppFlow flow, Payload payload);
}
