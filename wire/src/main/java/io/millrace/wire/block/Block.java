package io.millrace.wire.block;

/**
 * A batch of up to a few thousand records, as columns of primitive arrays.
 *
 * <p>A block has one owner at a time and is not thread-safe. A sender must not access a block after
 * emitting it; the receiver may change it in place.
 */
public interface Block {
  /** Number of records in this block; never negative. */
  int rows();
}
