package io.millrace.lab.scale;

import io.millrace.cluster.ClusterProcess;
import io.millrace.lab.harness.CpuQuota;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Limits of processor time, one for each of several running processes. */
final class Quotas implements AutoCloseable {
  private final List<CpuQuota> quotas = new ArrayList<>();

  /**
   * Creates a control group for each process, without limits.
   *
   * @throws IOException if this machine cannot limit processor time; the message has the reason
   */
  Quotas(List<ClusterProcess> processes) throws IOException {
    try {
      for (ClusterProcess process : processes) {
        CpuQuota quota = create(process.name());
        quotas.add(quota);
        quota.add(process.pid());
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * Checks that processes can be limited.
   *
   * @return the mechanism, such as {@code cgroup version 2}
   * @throws IOException if processes cannot be limited; the message has the reason
   */
  static String check() throws IOException {
    try (CpuQuota quota = create("check")) {
      quota.limit(1);
      return quota.version();
    }
  }

  private static CpuQuota create(String name) throws IOException {
    return CpuQuota.create(
        CpuQuota.SYSTEM, "millrace-scale-" + ProcessHandle.current().pid() + "-" + name);
  }

  void limit(double cores) throws IOException {
    for (CpuQuota quota : quotas) {
      quota.limit(cores);
    }
  }

  @Override
  public void close() throws IOException {
    for (CpuQuota quota : quotas) {
      quota.close();
    }
    quotas.clear();
  }
}
