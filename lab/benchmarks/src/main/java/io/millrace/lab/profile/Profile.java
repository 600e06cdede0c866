package io.millrace.lab.profile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * A profiler of this process and its descendants. It samples every half second which process uses
 * which core, and records stacks. {@link #write} draws both, even if the benchmark failed or was
 * ended early.
 *
 * <p>The drawings cover the intervals between {@link #begin} and {@link #end}; without these calls,
 * everything. Start Java processes with {@link #environment} to record their stacks.
 */
public final class Profile implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final double TICKS_A_SECOND = 100; // USER_HZ, on every current Linux
  private static final String RECORDING = ".jfr";

  /** File name of a recording, which a JVM or this class has chosen; the group is the process. */
  private static final Pattern NUMBER = Pattern.compile("(?:hotspot-pid-)?(\\w+).*");

  /** Otherwise samples of inlined loops are attributed to the next call or allocation. */
  private static final String EXACT_PLACES =
      "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints";

  /** Main class of child processes of clusters. Arguments: pid of the parent, class to run. */
  private static final String CHILD = ".ChildMain";

  /** The active profile of this process. */
  private static final AtomicReference<Profile> CURRENT = new AtomicReference<>();

  private final String name;
  private final Path recordings;
  private final Path output;

  // Data of the drawings; guarded by this.
  private Usage usage = new Usage(Runtime.getRuntime().availableProcessors());
  private List<Interval> intervals = new ArrayList<>(List.of(new Interval(Instant.EPOCH)));

  private final CountDownLatch end = new CountDownLatch(1);
  private final Thread thread = new Thread(this::watch, "profile");
  private final Map<Long, ThreadTimes> before = new HashMap<>();
  private final Map<Long, String> names = new HashMap<>();
  private final Recording own;

  /** A time interval that is drawn. */
  private static final class Interval {
    private final Instant from;
    private Instant until = Instant.MAX;

    Interval(Instant from) {
      this.from = from;
    }

    boolean has(Instant moment) {
      return !moment.isBefore(from) && moment.isBefore(until);
    }
  }

  /**
   * Starts profiling.
   *
   * @param name of the benchmark
   * @param recordings directory below which processes write their recordings
   * @param output directory for the drawings
   */
  public Profile(String name, Path recordings, Path output) throws IOException {
    this.name = name;
    this.recordings = recordings;
    this.output = output;
    try {
      own = new Recording(Configuration.getConfiguration("profile"));
    } catch (ParseException e) {
      throw new IOException("Java Flight Recorder: " + e.getMessage(), e);
    }
    own.start();
    CURRENT.set(this);
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether a profile is active in this process. */
  public static boolean isOn() {
    return CURRENT.get() != null;
  }

  /**
   * Begins an interval to draw; the first call discards everything before it. Does nothing without
   * an active profile.
   */
  public static void begin() {
    Profile current = CURRENT.get();
    if (current != null) {
      current.beginInterval();
    }
  }

  /** Ends an interval to draw. Does nothing without an active profile. */
  public static void end() {
    Profile current = CURRENT.get();
    if (current != null) {
      current.endInterval();
    }
  }

  private synchronized void beginInterval() {
    if (intervals.get(0).from.equals(Instant.EPOCH)) {
      intervals = new ArrayList<>();
      usage = new Usage(usage.cores());
    }
    intervals.add(new Interval(Instant.now()));
  }

  private synchronized void endInterval() {
    intervals.get(intervals.size() - 1).until = Instant.now();
  }

  private synchronized boolean isDrawn(Instant moment) {
    return intervals.stream().anyMatch(interval -> interval.has(moment));
  }

  /**
   * Returns a command prefix that records the JVM of the command and its child JVMs; empty without
   * an active profile.
   *
   * @param directory parent of the folder for the recordings, which JVMs write when they exit
   * @param name of the folder, and of the processes in the drawing, followed by their pids
   */
  public static List<String> environment(Path directory, String name) throws IOException {
    if (!isOn()) {
      return List.of();
    }
    Path folder = Files.createDirectories(directory.resolve(name)); // else a JVM creates a file
    return List.of(
        "env",
        "JAVA_TOOL_OPTIONS="
            + EXACT_PLACES
            + " -XX:StartFlightRecording=settings=profile,dumponexit=true,filename="
            + folder.toAbsolutePath());
  }

  private void watch() {
    try {
      long last = System.nanoTime();
      look(0);
      while (!end.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        long now = System.nanoTime();
        look((now - last) / 1e9);
        last = now;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a sample over the past seconds; the first one, of 0 seconds, is the baseline. */
  private synchronized void look(double seconds) {
    boolean isDrawn = seconds > 0 && isDrawn(Instant.now());
    if (isDrawn) {
      usage.look();
    }
    ProcessHandle self = ProcessHandle.current();
    Stream.concat(Stream.of(self), self.descendants())
        .forEach(
            process -> {
              ThreadTimes now = ThreadTimes.of(process.pid());
              ThreadTimes then = before.put(process.pid(), now);
              if (isDrawn) {
                String label = names.computeIfAbsent(process.pid(), pid -> label(process));
                add(label, then, now, seconds);
              }
            });
  }

  private void add(String label, ThreadTimes then, ThreadTimes now, double seconds) {
    now.byThread()
        .forEach(
            (id, time) -> {
              ThreadTimes.Time earlier = then == null ? null : then.byThread().get(id);
              double used =
                  (time.ticks() - (earlier == null ? 0 : earlier.ticks())) / TICKS_A_SECOND;
              if (used > 0) {
                usage.add(label, time.name(), time.core(), used / seconds, used);
              }
            });
  }

  /** Main class or program, and pid. */
  private static String label(ProcessHandle process) {
    if (process.pid() == ProcessHandle.current().pid()) {
      return "bench " + process.pid();
    }
    String[] arguments = arguments(process.pid());
    String program = arguments[0].replaceFirst(" .*", "").replaceFirst(".*/", "");
    for (int i = 0; i + 2 < arguments.length; i++) {
      if (arguments[i].equals("-cp")) {
        boolean isChild = i + 4 < arguments.length && arguments[i + 2].endsWith(CHILD);
        String main = arguments[isChild ? i + 4 : i + 2];
        program = main.substring(main.lastIndexOf('.') + 1);
      }
    }
    return (program.isEmpty() ? shortName(process.pid()) : program) + ' ' + process.pid();
  }

  /** Fallback for a process that is rewriting its arguments, as Redis does at startup. */
  private static String shortName(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "comm")).strip();
    } catch (IOException e) {
      return "?"; // it has ended
    }
  }

  /** Program and arguments from the kernel, since the JDK omits long ones. */
  private static String[] arguments(long pid) {
    try {
      Path file = Path.of("/proc", Long.toString(pid), "cmdline");
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\0", -1);
    } catch (IOException e) {
      return new String[] {"?"}; // it has ended
    }
  }

  /**
   * Stops profiling and writes the drawings. The flame graph omits truncated recordings of killed
   * processes and reports their number.
   *
   * @return the files; the first is the chart of processor use
   */
  public List<Path> write() throws IOException {
    boolean wasInterrupted = Thread.interrupted(); // would fail the writes
    try {
      close();
      List<Path> files = new ArrayList<>();
      Path chart = output.resolve("profile-" + name + ".svg");
      String title = name + ", use of processors";
      files.add(Files.writeString(chart, UsageChart.of(title, usage, INTERVAL.toMillis() / 1e3)));
      files.add(Files.writeString(output.resolve("flame-" + name + ".svg"), flame()));
      return files;
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private String flame() throws IOException {
    own.dump(recordings.resolve("bench" + RECORDING));
    own.close();
    FlameGraph flame = new FlameGraph(this::isDrawn);
    int unread = 0;
    try (Stream<Path> found = Files.walk(recordings)) {
      for (Path file : found.filter(path -> path.toString().endsWith(RECORDING)).toList()) {
        String process = NUMBER.matcher(file.getFileName().toString()).replaceFirst("$1");
        Optional<Path> folder = Optional.ofNullable(recordings.relativize(file).getParent());
        try {
          flame.add(folder.map(path -> path + " ").orElse("") + process, file);
        } catch (IOException e) {
          unread++;
        }
      }
    }
    return flame.svg(unread == 0 ? name : name + ", without " + unread + " processes");
  }

  /** Stops profiling. */
  @Override
  public void close() {
    CURRENT.compareAndSet(this, null);
    end.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
