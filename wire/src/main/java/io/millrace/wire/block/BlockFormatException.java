package io.millrace.wire.block;

/**
 * Malformed bytes of a block, or a block of a newer release. The message has the error and its
 * offset.
 *
 * <p>Unchecked, since a reader can only fail: Millrace itself writes these bytes, between processes
 * and in checkpoints. Bytes from exporters are not decoded here.
 */
public final class BlockFormatException extends RuntimeException {
  BlockFormatException(String message) {
    super(message);
  }
}
