package io.millrace.wire.block;

/**
 * Receiver of a decoder's rejects. Called on the decoder's thread: an implementation must not throw
 * or block.
 */
@FunctionalInterface
public interface Rejects {
  /** Ignores rejects. */
  Rejects NONE = (reason, offset) -> {};

  /**
   * Receives a reject.
   *
   * @param reason why
   * @param offset in the datagram, in bytes from its start
   */
  void reject(RejectReason reason, int offset);
}
