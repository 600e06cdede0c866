package io.millrace.wire.block;

/**
 * The unit that moves: up to a few thousand records as columns of primitive arrays.
 *
 * <p>A block has one owner at a time and is not thread-safe. Whoever emits a block gives it away
 * and must not touch it again; whoever receives one may change it in place.
 */
public interface Block {
  /** Number of records in this block; never negative. */
  int rows();
}
