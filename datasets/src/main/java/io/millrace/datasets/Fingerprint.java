package io.millrace.datasets;

import java.util.zip.CRC32C;

/** Order-dependent 64-bit hash of a content. Not thread-safe. */
public final class Fingerprint {
  private long state = 0x6D696C6C72616365L;

  /** Adds a number. */
  public void add(long value) {
    state = TextIds.mix(state + value) + 0x9E3779B97F4A7C15L;
  }

  /** Adds bytes by their number and CRC-32C. */
  public void add(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    add(length);
    add(crc.getValue());
  }

  /** The hash of everything added so far. */
  public long value() {
    return state;
  }
}
