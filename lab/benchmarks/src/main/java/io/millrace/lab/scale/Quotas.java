package io.millrace.lab.scale;

import io.millrace.cluster.ClusterProcess;
import io.millrace.lab.harness.CpuQuota;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A limit of processor time for each of some processes, which begins later than they do. */
final class Quotas implements AutoCloseable {
  private final List<CpuQuota> quotas = new ArrayList<>();

  /**
   * Without limits.
   *
   * @throws IOException if this machine has no control groups for it; says why
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
   * Tries it.
   *
   * @return how processes are limited here
   * @throws IOException if they cannot be: says why
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

  /** Limits each to so many cores. */
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
