package io.millrace.cli.console;

import io.millrace.pulse.HostMemory;
import java.util.Locale;
import java.util.Optional;

/** What an instance needs of memory to be started, and what its budgets leave. */
public final class LeastMemory {
  /** Bytes without which an instance is not started. */
  static final long BYTES = 960L << 20;

  /** What the JVM takes beside its heap, the log and the stream engine included. */
  private static final long BESIDE_BYTES = 384L << 20;

  private LeastMemory() {}

  /** Refuses to start this process where it may use less. */
  public static void require() {
    require(HostMemory.bytes());
  }

  /**
   * Refuses to start where there is less.
   *
   * @param bytes that the process may use
   * @throws UsageException if they are fewer than {@link #BYTES}
   */
  static void require(long bytes) {
    if (bytes < BYTES) {
      throw new UsageException(
          "this process may use %s of memory and needs %s: raise the limit of the container or of the unit (memory.max, MemoryMax)"
              .formatted(mebibytes(bytes), mebibytes(BYTES)));
    }
  }

  /**
   * What to change where heap and database do not fit.
   *
   * @param bytes that the process may use
   */
  static Optional<String> advice(long bytes, long heapBytes, long storeBytes) {
    return heapBytes + storeBytes + BESIDE_BYTES <= bytes
        ? Optional.empty()
        : Optional.of(
            "a heap of %s and store.memory of %s do not fit into the %s that this process may use, with %s for everything else: lower -Xmx or store.memory"
                .formatted(
                    mebibytes(heapBytes),
                    mebibytes(storeBytes),
                    mebibytes(bytes),
                    mebibytes(BESIDE_BYTES)));
  }

  /** What to change where heap and database do not fit into what this process may use. */
  public static Optional<String> advice(long storeBytes) {
    return advice(HostMemory.bytes(), Runtime.getRuntime().maxMemory(), storeBytes);
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,d MiB", bytes >> 20);
  }
}
