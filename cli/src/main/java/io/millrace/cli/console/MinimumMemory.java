package io.millrace.cli.console;

import io.millrace.pulse.HostMemory;
import java.util.Locale;
import java.util.Optional;

/** Checks the memory limit of an instance. */
public final class MinimumMemory {
  static final long BYTES = 960L << 20;

  /** Memory of the JVM outside its heap, including the log and the stream engine. */
  private static final long NON_HEAP_BYTES = 384L << 20;

  private MinimumMemory() {}

  /**
   * Checks that this process may use the minimum memory of an instance.
   *
   * @throws UsageException if the memory limit is lower
   */
  public static void require() {
    require(HostMemory.bytes());
  }

  static void require(long bytes) {
    if (bytes < BYTES) {
      throw new UsageException(
          "memory limit of this process is %s, required are %s; raise the limit of the container or unit (memory.max, MemoryMax)"
              .formatted(mebibytes(bytes), mebibytes(BYTES)));
    }
  }

  static Optional<String> advice(long bytes, long heapBytes, long storeBytes) {
    return heapBytes + storeBytes + NON_HEAP_BYTES <= bytes
        ? Optional.empty()
        : Optional.of(
            "heap (%s) and store.memory (%s) exceed the memory limit of %s, with %s for everything else; lower -Xmx or store.memory"
                .formatted(
                    mebibytes(heapBytes),
                    mebibytes(storeBytes),
                    mebibytes(bytes),
                    mebibytes(NON_HEAP_BYTES)));
  }

  /** Advice if heap and database memory together exceed the memory limit of this process. */
  public static Optional<String> advice(long storeBytes) {
    return advice(HostMemory.bytes(), Runtime.getRuntime().maxMemory(), storeBytes);
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,d MiB", bytes >> 20);
  }
}
