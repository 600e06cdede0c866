package io.millrace.engine.host;

import java.util.ArrayList;
import java.util.List;

/**
 * What each core has done since the machine started, as {@code /proc/stat} tells it (proc(5)), in
 * ticks of the kernel's clock.
 *
 * <pre>
 *   cpu0  user nice system idle iowait irq softirq steal guest guest_nice
 * </pre>
 *
 * <p>A guest's time is in user's already. Stolen time counts as work: it was asked for, and another
 * machine had it.
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

  /** The share of time since an earlier look in which the core worked, 0 to 1. */
  double share(CpuTimes earlier, int core) {
    long ticks = all.get(core) - earlier.all.get(core);
    // iowait may go backwards (proc(5)), by a tick or two.
    return ticks <= 0
        ? 0
        : Math.max(0, Math.min(1, (busy.get(core) - earlier.busy.get(core)) / (double) ticks));
  }
}
