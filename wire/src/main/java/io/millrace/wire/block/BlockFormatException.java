package io.millrace.wire.block;

/**
 * Bytes that are no block, or a block of a release newer than this one. Thrown by {@link
 * BlockCodec} alone; the message says what is wrong, at which byte.
 *
 * <p>Unchecked: the bytes between processes and in checkpoints are our own, so that a reader has no
 * better answer than to fail; what comes from a network never gets here.
 */
public final class BlockFormatException extends RuntimeException {
  BlockFormatException(String message) {
    super(message);
  }
}
