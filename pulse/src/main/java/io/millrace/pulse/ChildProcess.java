package io.millrace.pulse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A child process that does not outlive this process. {@link #close}, or the end of this process,
 * ends it and its children; a process started with the command {@link #java} ends even if this
 * process is killed. The output is written to a file, or {@linkplain #interactive read while the
 * program runs}. Not thread-safe, except {@link #kill} and {@link #isAlive}.
 */
public final class ChildProcess implements AutoCloseable {
  /** Exit status after SIGKILL. */
  public static final int KILLED = 128 + 9;

  private static final long END_SECONDS = 5;
  private static final long POLL_NANOS = 5_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int TAIL_LINES = 8;

  private final String program;
  private final Process process;
  private final Path output; // null if the output is read
  private final BufferedReader lines; // null if the output is written to a file
  private final Thread hook = new Thread(this::end, "end-child-process");

  /** Whether a shutdown hook ends the process; false for programs that the shutdown needs. */
  private final boolean isBound;

  private ChildProcess(String program, Process process, Path output) {
    this.program = program;
    this.process = process;
    this.output = output;
    lines = output == null ? process.inputReader(StandardCharsets.UTF_8) : null;
    isBound = bind();
  }

  private boolean bind() {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException e) {
      return false; // this process is shutting down
    }
  }

  /**
   * Starts a program without input.
   *
   * @param output file for standard output and standard error
   * @param command program and arguments
   * @throws IOException if the program cannot be started, or this process is shutting down
   */
  public static ChildProcess start(Path output, List<String> command) throws IOException {
    ChildProcess child = begin(output, command);
    if (!child.isBound) {
      child.end();
      throw new IOException(
          command.get(0) + ": not started, because this process is shutting down");
    }
    return child;
  }

  private static ChildProcess begin(Path output, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().put("LC_ALL", "C.UTF-8"); // with C, a JVM cannot open all file names
    builder.environment().put("TZ", "UTC");
    return new ChildProcess(command.get(0), builder.start(), output);
  }

  /** Starts a program for {@link #readLine} and {@link #write}; it inherits standard error. */
  public static ChildProcess interactive(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ChildProcess(command.get(0), builder.start(), null);
  }

  /**
   * Runs a program to its end and returns its output, ignoring its exit status; kills it on a
   * time-out.
   *
   * @throws IOException if the program cannot be started or times out
   */
  public static String run(Path output, Duration timeout, List<String> command) throws IOException {
    try (ChildProcess child = begin(output, command)) {
      if (!child.awaitEnd(timeout)) {
        throw new IOException(command.get(0) + ": still running after " + timeout);
      }
      return child.output();
    }
  }

  /**
   * Runs a program to its end and returns its output.
   *
   * @throws IOException if the program cannot be started, takes longer than a minute, or fails; the
   *     message has its last output
   */
  public static String check(String... command) throws IOException {
    Path output = Files.createTempFile("millrace-", ".out");
    try (ChildProcess child = begin(output, List.of(command))) {
      if (!child.awaitEnd(TIMEOUT) || child.process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + child.tail());
      }
      return child.output();
    } finally {
      Files.deleteIfExists(output);
    }
  }

  /** Runs a program; returns whether it exists and succeeds within a minute. */
  public static boolean succeeds(String... command) {
    try {
      var unused = check(command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Path of a program of this process's JDK. */
  public static String jdk(String program) {
    return Path.of(System.getProperty("java.home"), "bin", program).toString();
  }

  /** JVM options of this process that start with one of the prefixes. */
  public static List<String> ownOptions(String... beginnings) {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> Arrays.stream(beginnings).anyMatch(option::startsWith))
        .toList();
  }

  /** JVM options for this JVM's class data sharing archive; valid with the same class path. */
  public static List<String> classArchive() {
    return ownOptions("-XX:SharedArchiveFile=", "-Xlog:cds");
  }

  /**
   * Command line that runs a class of this class path in a JVM that ends with this process.
   *
   * @param options JVM options, in addition to this JVM's opened packages and class archive
   */
  public static List<String> java(List<String> options, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(jdk("java")));
    command.addAll(ownOptions("--add-opens"));
    command.addAll(classArchive());
    command.addAll(options);
    command.addAll(List.of("-Dfile.encoding=UTF-8", "-cp", System.getProperty("java.class.path")));
    command.addAll(ChildMain.of(main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Waits for the end of the process; false on a time-out. */
  public boolean awaitEnd(Duration timeout) {
    try {
      return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Waits for the end of the process and returns its exit status. */
  public int status() throws InterruptedException {
    return process.waitFor();
  }

  /** Readiness check of a program. */
  @FunctionalInterface
  public interface Readiness {
    /** Whether the program is ready; polled. */
    boolean isReady() throws IOException;
  }

  /**
   * Waits until the program is ready.
   *
   * @throws IOException if the program ends first, or on a time-out; the message has its last
   *     output
   */
  public void awaitReady(Duration timeout, Readiness readiness) throws IOException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!readiness.isReady()) {
      if (!isAlive() || System.nanoTime() - deadline > 0) {
        throw new IOException(program + " is not ready: " + tail());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /**
   * Waits for matching output, and returns the match.
   *
   * @throws IOException as {@link #awaitReady}
   */
  public Matcher awaitOutput(Duration timeout, Pattern wanted) throws IOException {
    Matcher[] found = new Matcher[1];
    awaitReady(
        timeout,
        () -> {
          found[0] = wanted.matcher(output());
          return found[0].find();
        });
    return found[0];
  }

  /** Output so far. */
  public String output() throws IOException {
    return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
  }

  /** Last lines of the output, joined to one line. */
  public String tail() throws IOException {
    List<String> all = output().strip().lines().toList();
    return String.join(" | ", all.subList(Math.max(0, all.size() - TAIL_LINES), all.size()));
  }

  /** The next line of a {@linkplain #interactive interactive} program; null at its end. */
  public String readLine() throws IOException {
    return lines.readLine();
  }

  /** Writes a byte to a {@linkplain #interactive interactive} program. */
  public void write(int value) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write(value);
    input.flush();
  }

  /** Whether the process is running. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** CPU time of the process and its living children. */
  public Duration processorTime() {
    Duration sum = Duration.ZERO;
    for (ProcessHandle handle : handles()) {
      sum = sum.plus(handle.info().totalCpuDuration().orElse(Duration.ZERO));
    }
    return sum;
  }

  private List<ProcessHandle> handles() {
    List<ProcessHandle> handles = new ArrayList<>(List.of(process.toHandle()));
    process.descendants().forEach(handles::add);
    return handles;
  }

  /**
   * Sends a signal that Java does not support.
   *
   * @param name name without SIG, such as INT, on which some programs flush their output
   * @throws IOException if the process has ended
   */
  public void signal(String name) throws IOException {
    var unused = check("sh", "-c", "kill -s " + name + " " + process.pid());
  }

  /** Process id. */
  public long pid() {
    return process.pid();
  }

  /** Sends SIGTERM without waiting. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /**
   * Sends SIGKILL and waits for the end of the process. Its children continue, and its output stays
   * readable.
   *
   * @throws IllegalStateException if the process is still alive after a minute
   */
  public void kill() {
    process.toHandle().destroyForcibly(); // Process.destroyForcibly would close its output, too
    if (!awaitEnd(TIMEOUT)) {
      throw new IllegalStateException(
          program + ", pid " + process.pid() + ", is still alive after SIGKILL");
    }
  }

  /** Sends SIGTERM, and SIGKILL to processes still alive after some seconds. */
  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the shutdown hook ends the process
    }
  }

  private void end() {
    List<ProcessHandle> handles = handles(); // before they become orphans
    process.destroy();
    awaitEnd(Duration.ofSeconds(END_SECONDS));
    handles.forEach(ProcessHandle::destroy);
    awaitEnd(Duration.ofMillis(100));
    handles.stream().filter(ProcessHandle::isAlive).forEach(ProcessHandle::destroyForcibly);
  }
}
