package io.millrace.engine.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Samples the use of each core every 500 ms, and keeps the last 30 s. Thread-safe.
 *
 * <p>A sample reads one small kernel file. Without that file (not Linux, or not readable) there are
 * no samples.
 */
public final class CpuSampler implements AutoCloseable {
  static final int INTERVAL_MILLIS = 500;

  private static final int SAMPLES = 60;

  /** Bound on a metric's text, below that of {@link java.io.DataOutput#writeUTF}. */
  private static final int TEXT_LENGTH = 60_000;

  private static final int CHARACTERS_A_SAMPLE = 2;

  private final Path proc;
  private final LongSupplier clockMillis;
  private final String machine;
  private final String host;
  private final Deque<List<Double>> history = new ArrayDeque<>();
  private CpuTimes before;
  private long lastMillis;
  private ScheduledExecutorService timer;

  /** The sampler of this machine. */
  public CpuSampler() {
    this(Path.of("/proc"), System::currentTimeMillis);
  }

  CpuSampler(Path proc, LongSupplier clockMillis) {
    this.proc = proc;
    this.clockMillis = clockMillis;
    this.machine = line(proc.resolve("sys/kernel/random/boot_id"));
    this.host = line(proc.resolve("sys/kernel/hostname"));
  }

  private static String line(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** Starts sampling, on a separate thread. */
  public synchronized void start() {
    timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "millrace-host-cpu");
              thread.setDaemon(true);
              return thread;
            });
    var unused = timer.scheduleAtFixedRate(this::sample, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
  }

  void sample() {
    CpuTimes now;
    try {
      now = CpuTimes.parse(Files.readAllLines(proc.resolve("stat")));
    } catch (IOException | RuntimeException e) {
      return; // no Linux, or no permission: no samples, and nothing else depends on them
    }
    synchronized (this) {
      if (before != null && before.cores() != now.cores()) {
        history.clear(); // a core was switched on or off: the numbering has changed
      } else if (before != null) {
        List<Double> sample = new ArrayList<>(now.cores());
        for (int core = 0; core < now.cores(); core++) {
          sample.add(now.share(before, core));
        }
        history.addLast(sample);
        lastMillis = clockMillis.getAsLong();
      }
      before = now;
      int fit = TEXT_LENGTH / CHARACTERS_A_SAMPLE / Math.max(1, now.cores());
      while (history.size() > Math.min(SAMPLES, fit)) {
        history.removeFirst();
      }
    }
  }

  /** Samples of the last 30 s. */
  public synchronized HostSamples samples() {
    int cores = before == null ? 0 : before.cores();
    List<List<Double>> byCore = new ArrayList<>();
    for (int core = 0; core < cores; core++) {
      List<Double> samples = new ArrayList<>();
      for (List<Double> sample : history) {
        samples.add(sample.get(core));
      }
      byCore.add(samples);
    }
    return new HostSamples(machine, host, lastMillis, INTERVAL_MILLIS, byCore);
  }

  @Override
  public synchronized void close() {
    if (timer != null) {
      timer.shutdownNow();
      timer = null;
    }
  }
}
