package io.millrace.engine.sink;

import io.millrace.analytics.keyed.KeyBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * First 128 bits of the SHA-256 of the producer's name, a zero byte and the identifying values, so
 * that senders who choose keys cannot construct a collision.
 */
record ResultId(long high, long low) {
  static final int LENGTH = 2 * Long.BYTES;

  static ResultId of(String name, KeyBytes values) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(name.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      ByteBuffer hash = ByteBuffer.wrap(digest.digest(values.toBytes()));
      return new ResultId(hash.getLong(), hash.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
