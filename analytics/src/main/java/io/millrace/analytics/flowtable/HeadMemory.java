package io.millrace.analytics.flowtable;

/** Memory budget of the first bytes of all flows. Not thread-safe. */
public final class HeadMemory {
  private final long limitBytes;
  private long usedBytes;
  private long dropped;

  /** A budget of that many bytes. */
  public HeadMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Reserves bytes; false if there are not enough. */
  public boolean reserve(int bytes) {
    if (usedBytes + bytes > limitBytes) {
      dropped++;
      return false;
    }
    usedBytes += bytes;
    return true;
  }

  /** Releases bytes. */
  public void release(int bytes) {
    usedBytes -= bytes;
  }

  /** Reserved bytes. */
  public long usedBytes() {
    return usedBytes;
  }

  /** Number of failed reservations. */
  public long dropped() {
    return dropped;
  }
}
