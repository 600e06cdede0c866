package io.millrace.analytics.flowtable;

/** How much the first bytes of all flows may take. Not thread-safe. */
public final class HeadMemory {
  private final long limitBytes;
  private long usedBytes;
  private long refused;

  /** A budget of that many bytes. */
  public HeadMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Takes bytes if there are so many. */
  public boolean take(int bytes) {
    if (usedBytes + bytes > limitBytes) {
      refused++;
      return false;
    }
    usedBytes += bytes;
    return true;
  }

  /** Gives bytes back. */
  public void give(int bytes) {
    usedBytes -= bytes;
  }

  /** Bytes taken at the moment. */
  public long usedBytes() {
    return usedBytes;
  }

  /** How often there were not enough. */
  public long refused() {
    return refused;
  }
}
