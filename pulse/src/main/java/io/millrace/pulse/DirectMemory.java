package io.millrace.pulse;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** Memory of direct byte buffers of this JVM. Thread-safe. */
public final class DirectMemory {
  private static final long MAX_BYTES = limit();

  private DirectMemory() {}

  /** The JVM's limit in bytes: {@code -XX:MaxDirectMemorySize}, by default the maximum heap. */
  public static long maxBytes() {
    return MAX_BYTES;
  }

  private static long limit() {
    long option =
        Long.parseLong(
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue());
    return option > 0 ? option : Runtime.getRuntime().maxMemory();
  }
}
