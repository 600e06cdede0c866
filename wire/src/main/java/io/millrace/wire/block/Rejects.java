package io.millrace.wire.block;

/**
 * Where a decoder says that bytes did not become a row. Called on the decoder's thread, in the
 * middle of its work: an implementation counts and returns, it never throws or blocks.
 */
@FunctionalInterface
public interface Rejects {
  /** Counts nothing. */
  Rejects NONE = (reason, offset) -> {};

  /**
   * Takes note of one reject.
   *
   * @param reason why
   * @param offset where in the datagram, in bytes from its start
   */
  void reject(RejectReason reason, int offset);
}
