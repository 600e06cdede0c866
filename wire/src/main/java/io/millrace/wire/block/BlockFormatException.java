package io.millrace.wire.block;

/**
 * Malformed bytes of a block, or a block of a newer release. The message has the error and its
 * offset.
 *
 * <p>Unchecked: bytes between processes and in checkpoints are written by Millrace, so that a
 * reader can only fail; bytes from exporters are not decoded here.
 */
public final class BlockFormatException extends RuntimeException {
  BlockFormatException(String message) {
    super(message);
  }
}
