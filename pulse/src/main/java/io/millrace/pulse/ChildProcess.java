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
 * A program that runs beside this one and never outlives it: it and its children are ended by their
 * ids, on {@link #close} or when this process ends; one that is started as {@link #java} says ends
 * even when this process is killed. Its output goes to a file, or is {@linkplain #talking read
 * while it runs}. Not thread-safe, but for {@link #kill} and {@link #isAlive}.
 */
public final class ChildProcess implements AutoCloseable {
  /** Exit status of what was ended by SIGKILL. */
  public static final int KILLED = 128 + 9;

  private static final long END_SECONDS = 5;
  private static final long LOOK_NANOS = 5_000_000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int TAIL_LINES = 8;

  private final String program;
  private final Process process;
  private final Path output; // null where it is read
  private final BufferedReader lines; // null where it goes to a file
  private final Thread hook = new Thread(this::end, "end-child-process");

  /** Whether it ends with this process; not one that this process needs while it ends. */
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
      return false; // this process is ending
    }
  }

  /**
   * Starts a program that gets no input.
   *
   * @param output file for both of its output streams
   * @param command program and arguments
   * @throws IOException if it could not be started, or this process is ending
   */
  public static ChildProcess start(Path output, List<String> command) throws IOException {
    ChildProcess child = begin(output, command);
    if (!child.isBound) {
      child.end();
      throw new IOException(command.get(0) + " is not started: this process is ending");
    }
    return child;
  }

  private static ChildProcess begin(Path output, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().put("LC_ALL", "C.UTF-8"); // with C, a JVM cannot name all files
    builder.environment().put("TZ", "UTC");
    return new ChildProcess(command.get(0), builder.start(), output);
  }

  /**
   * Starts a program whose output is read by {@link #readLine}, and who is told things by {@link
   * #write}. Its errors are printed with ours.
   */
  public static ChildProcess talking(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ChildProcess(command.get(0), builder.start(), null);
  }

  /**
   * Runs a program to its end and gives its output, whatever its status; one that takes longer is
   * ended.
   *
   * @throws IOException if it could not be started or took too long
   */
  public static String run(Path output, Duration patience, List<String> command)
      throws IOException {
    try (ChildProcess child = begin(output, command)) {
      if (!child.awaitEnd(patience)) {
        throw new IOException(command.get(0) + " has not ended after " + patience);
      }
      return child.output();
    }
  }

  /**
   * Runs a program to its end and gives its output.
   *
   * @throws IOException if it could not be started, took longer than a minute, or failed: with what
   *     it said last
   */
  public static String check(String... command) throws IOException {
    Path output = Files.createTempFile("millrace-", ".out");
    try (ChildProcess child = begin(output, List.of(command))) {
      if (!child.awaitEnd(PATIENCE) || child.process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + child.tail());
      }
      return child.output();
    } finally {
      Files.deleteIfExists(output);
    }
  }

  /** Whether a program is there and succeeds within a minute. */
  public static boolean succeeds(String... command) {
    try {
      var unused = check(command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** A program of the JDK that this process runs on. */
  public static String jdk(String program) {
    return Path.of(System.getProperty("java.home"), "bin", program).toString();
  }

  /** The options of this JVM that begin so. */
  public static List<String> ownOptions(String... beginnings) {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> Arrays.stream(beginnings).anyMatch(option::startsWith))
        .toList();
  }

  /**
   * The options by which this JVM maps the classes of a start, in place of loading them; of use to
   * another JVM with the same class path.
   */
  public static List<String> classArchive() {
    return ownOptions("-XX:SharedArchiveFile=", "-Xlog:cds");
  }

  /**
   * The command that runs a class of this process's class path in a JVM of its own, which ends when
   * this process does.
   *
   * @param options of the JVM, besides the packages that are opened in this one and its archive of
   *     loaded classes
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

  /** Waits for its end; false if the time is over first. */
  public boolean awaitEnd(Duration patience) {
    try {
      return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Its exit status, as soon as it has ended. */
  public int status() throws InterruptedException {
    return process.waitFor();
  }

  /** Whether a program does what it is there for. */
  @FunctionalInterface
  public interface Readiness {
    /** Asked again and again. */
    boolean isThere() throws IOException;
  }

  /**
   * Waits until it is ready.
   *
   * @throws IOException if it ends before, or the time is over: with what it said last
   */
  public void awaitReady(Duration patience, Readiness readiness) throws IOException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!readiness.isThere()) {
      if (!isAlive() || System.nanoTime() - deadline > 0) {
        throw new IOException(program + " is not ready: " + tail());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /**
   * Waits until it says something, and gives that.
   *
   * @throws IOException as {@link #awaitReady}
   */
  public Matcher awaitOutput(Duration patience, Pattern wanted) throws IOException {
    Matcher[] found = new Matcher[1];
    awaitReady(
        patience,
        () -> {
          found[0] = wanted.matcher(output());
          return found[0].find();
        });
    return found[0];
  }

  /** What it has written to its file. */
  public String output() throws IOException {
    return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
  }

  /** The last lines that it has written to its file, as one. */
  public String tail() throws IOException {
    List<String> all = output().strip().lines().toList();
    return String.join(" | ", all.subList(Math.max(0, all.size() - TAIL_LINES), all.size()));
  }

  /** The next line of one that {@linkplain #talking talks}; null when it has ended. */
  public String readLine() throws IOException {
    return lines.readLine();
  }

  /** Gives a byte to one that {@linkplain #talking talks}. */
  public void write(int value) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write(value);
    input.flush();
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Processor time of it and its children that are still there. */
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
   * Sends it a signal that Java has no method for.
   *
   * @param name such as INT, as the terminal does: some programs write what they hold only then
   * @throws IOException if it has ended
   */
  public void signal(String name) throws IOException {
    var unused = check("sh", "-c", "kill -s " + name + " " + process.pid());
  }

  /** The process's number. */
  public long pid() {
    return process.pid();
  }

  /** Asks it to end, and does not wait. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /**
   * Ends it at once (SIGKILL) and waits until it is gone; it has no say in it, and its children
   * live on. What it has said before can still be read.
   *
   * @throws IllegalStateException if it is still there after a minute
   */
  public void kill() {
    process.toHandle().destroyForcibly(); // the process's own method would close its output, too
    if (!awaitEnd(PATIENCE)) {
      throw new IllegalStateException(program + ", pid " + process.pid() + ", does not end");
    }
  }

  /** Asks it to end and waits; what is left after some seconds is ended by force. */
  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the process is ending: the hook does the same
    }
  }

  private void end() {
    List<ProcessHandle> handles = handles(); // before the parent's end makes orphans of them
    process.destroy();
    awaitEnd(Duration.ofSeconds(END_SECONDS));
    handles.forEach(ProcessHandle::destroy);
    awaitEnd(Duration.ofMillis(100));
    handles.stream().filter(ProcessHandle::isAlive).forEach(ProcessHandle::destroyForcibly);
  }
}
