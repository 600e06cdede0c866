package io.millrace.engine.host;

import java.util.ArrayList;
import java.util.List;

/**
 * Busy and total time of each core since boot, from {@code /proc/stat} (proc(5)), in kernel ticks.
 *
 * <pre>
 *   cpu0  user nice system idle iowait irq softirq steal guest guest_nice
 * </pre>
 *
 * <p>Guest time is included in user time. Stolen time counts as busy: the machine had work to do.
 *
 * @param busy by core
 * @param all by core
 */
record CpuTimes(List<Long> busy, List<Long> all) {
  private static final int IDLE = 4;
  private static final int IOWAIT = 5;
  private static final int STEAL = 8;

  static CpuTimes parse(List<String> lines) {
    List<Long> busy = new ArrayList<>();
    List<Long> all = new ArrayList<>();
    for (String line : lines) {
      if (!line.startsWith("cpu") || line.length() < 4 || !Character.isDigit(line.charAt(3))) {
        continue;
      }
      String[] fields = line.split(" +", -1);
      long total = 0;
      long idle = 0;
      for (int i = 1; i < fields.length && i <= STEAL; i++) {
        long ticks = Long.parseLong(fields[i]);
        total += ticks;
        idle += i == IDLE || i == IOWAIT ? ticks : 0;
      }
      busy.add(total - idle);
      all.add(total);
    }
    return new CpuTimes(busy, all);
  }

  int cores() {
    return all.size();
  }

  /** Busy share since an earlier sample, 0 to 1. */
  double share(CpuTimes earlier, int core) {
    long ticks = all.get(core) - earlier.all.get(core);
    // iowait may decrease (proc(5)), by a tick or two.
    return ticks <= 0
        ? 0
        : Math.max(0, Math.min(1, (busy.get(core) - earlier.busy.get(core)) / (double) ticks));
  }
}
