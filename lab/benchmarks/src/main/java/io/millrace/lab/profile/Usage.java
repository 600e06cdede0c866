package io.millrace.lab.profile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Samples of the use of each core by each process, and of the cores on which threads ran. A
 * thread's time between two samples is attributed to the core on which it last ran. Written by one
 * thread, read after that thread has ended.
 */
final class Usage {
  private final int cores;
  private final List<Map<String, double[]>> looks = new ArrayList<>();
  private final Map<String, double[]> placement = new TreeMap<>();

  Usage(int cores) {
    this.cores = cores;
  }

  /** Begins a new sample. */
  void look() {
    looks.add(new LinkedHashMap<>());
  }

  /**
   * Adds the use by a thread since the previous sample.
   *
   * @param share of one core, 0 to 1
   * @param seconds of processor time
   */
  void add(String process, String thread, int core, double share, double seconds) {
    if (core >= cores) {
      return; // switched on later
    }
    looks.get(looks.size() - 1).computeIfAbsent(process, none -> new double[cores])[core] += share;
    String family = process + ": " + thread.replaceAll("[-# ]+\\d+.*$|\\d+$", "");
    placement.computeIfAbsent(family, none -> new double[cores])[core] += seconds;
  }

  int cores() {
    return cores;
  }

  int size() {
    return looks.size();
  }

  /** All processes, in order of appearance. */
  List<String> processes() {
    return looks.stream().flatMap(look -> look.keySet().stream()).distinct().toList();
  }

  /** Share of a core that a process used, 0 to 1. */
  double share(int look, String process, int core) {
    double[] shares = looks.get(look).get(process);
    return shares == null ? 0 : shares[core];
  }

  /** Mean and variation over time. */
  record Statistics(double mean, double variation) {
    static Statistics of(double[] values) {
      double sum = 0;
      for (double value : values) {
        sum += value;
      }
      double mean = values.length == 0 ? 0 : sum / values.length;
      double squares = 0;
      for (double value : values) {
        squares += (value - mean) * (value - mean);
      }
      double deviation = values.length == 0 ? 0 : Math.sqrt(squares / values.length);
      return new Statistics(mean, mean == 0 ? 0 : deviation / mean);
    }
  }

  /** Use of a core by all processes, over time. */
  Statistics ofCore(int core) {
    double[] values = new double[looks.size()];
    for (int look = 0; look < values.length; look++) {
      for (double[] shares : looks.get(look).values()) {
        values[look] += shares[core];
      }
    }
    return Statistics.of(values);
  }

  /** Cores that a process used, over time. */
  Statistics ofProcess(String process) {
    double[] values = new double[looks.size()];
    for (int look = 0; look < values.length; look++) {
      for (int core = 0; core < cores; core++) {
        values[look] += share(look, process, core);
      }
    }
    return Statistics.of(values);
  }

  /**
   * Returns the busiest threads, as {@code process: name}, with their seconds on each core.
   * Processes are in order of appearance.
   *
   * @param most number of threads per process
   */
  List<Map.Entry<String, double[]>> placement(int most) {
    return processes().stream().flatMap(process -> busiest(process, most)).toList();
  }

  private Stream<Map.Entry<String, double[]>> busiest(String process, int most) {
    return placement.entrySet().stream()
        .filter(thread -> thread.getKey().startsWith(process + ": "))
        .sorted((one, other) -> Double.compare(sum(other.getValue()), sum(one.getValue())))
        .limit(most);
  }

  static double sum(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }
}
