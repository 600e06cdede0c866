package io.millrace.lab.soak;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Memory, descriptors and threads of one life of a process, sampled from {@code /proc} every few
 * seconds, and the heap after a full collection, which {@code jcmd} requests once in a while.
 *
 * <p>A value is level if the linear trend over the last half of its samples rises by no more than a
 * tenth of their mean plus an allowance for normal variation.
 */
public final class Vitals {
  private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final double RISE = 0.1;

  /** Resource, with the rise allowed in addition to a tenth. */
  public enum Kind {
    RSS_MIB("rss_mib", 64),
    HEAP_MIB("heap_mib", 16),
    DESCRIPTORS("descriptors", 32),
    THREADS("threads", 16);

    private final String label;
    private final double allowance;

    Kind(String label, double allowance) {
      this.label = label;
      this.allowance = allowance;
    }

    /** Name in figures. */
    public String label() {
      return label;
    }
  }

  private record Sample(double second, double value) {}

  private final long pid;
  private final long startNanos = System.nanoTime();
  private final List<List<Sample>> samples = new ArrayList<>();

  public Vitals(long pid) {
    this.pid = pid;
    for (int i = 0; i < Kind.values().length; i++) {
      samples.add(new ArrayList<>());
    }
  }

  /** Samples the process; returns false if it has ended. */
  public boolean look() {
    Path proc = Path.of("/proc", Long.toString(pid));
    try {
      List<String> status = Files.readAllLines(proc.resolve("status"));
      double descriptors;
      try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
        descriptors = open.count();
      }
      add(Kind.RSS_MIB, number(status, "VmRSS:") / 1024);
      add(Kind.THREADS, number(status, "Threads:"));
      add(Kind.DESCRIPTORS, descriptors);
      return true;
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  private static double number(List<String> status, String name) throws IOException {
    for (String line : status) {
      if (line.startsWith(name)) {
        return Double.parseDouble(line.substring(name.length()).strip().split(" ", -1)[0]);
      }
    }
    throw new IOException("no " + name + " in /proc");
  }

  /** Runs a full collection and samples the heap; does nothing without {@code jcmd}. */
  public void collect(Path scratch) throws IOException {
    String jcmd = ChildProcess.jdk("jcmd");
    if (!Files.isExecutable(Path.of(jcmd))) {
      return;
    }
    String id = Long.toString(pid);
    ChildProcess.run(scratch, PATIENCE, List.of(jcmd, id, "GC.run"));
    String heap = ChildProcess.run(scratch, PATIENCE, List.of(jcmd, id, "GC.heap_info"));
    long kib = 0;
    for (Matcher used = USED.matcher(heap); used.find(); ) {
      kib += Long.parseLong(used.group(1));
    }
    if (kib > 0) {
      add(Kind.HEAP_MIB, kib / 1024.0);
    }
  }

  private void add(Kind kind, double value) {
    samples.get(kind.ordinal()).add(new Sample((System.nanoTime() - startNanos) / 1e9, value));
  }

  /** Seconds from the creation to the last sample. */
  double seconds() {
    List<Sample> all = samples.get(Kind.RSS_MIB.ordinal());
    return all.isEmpty() ? 0 : all.get(all.size() - 1).second();
  }

  /** The last value; NaN without one. */
  public double last(Kind kind) {
    List<Sample> all = samples.get(kind.ordinal());
    return all.isEmpty() ? Double.NaN : all.get(all.size() - 1).value();
  }

  /** Rise of the linear trend over the last half of the samples. */
  double rise(Kind kind) {
    List<Sample> half = lastHalf(kind);
    if (half.size() < 3) {
      return 0;
    }
    double meanTime = half.stream().mapToDouble(Sample::second).average().orElseThrow();
    double mean = half.stream().mapToDouble(Sample::value).average().orElseThrow();
    double above = 0;
    double below = 0;
    for (Sample sample : half) {
      above += (sample.second() - meanTime) * (sample.value() - mean);
      below += (sample.second() - meanTime) * (sample.second() - meanTime);
    }
    return above / below * (half.get(half.size() - 1).second() - half.get(0).second());
  }

  /** Maximum rise of a level value. */
  double mayRise(Kind kind) {
    double mean = lastHalf(kind).stream().mapToDouble(Sample::value).average().orElse(0);
    return RISE * mean + kind.allowance;
  }

  private List<Sample> lastHalf(Kind kind) {
    List<Sample> all = samples.get(kind.ordinal());
    return all.subList(all.size() / 2, all.size());
  }
}
