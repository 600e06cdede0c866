package io.millrace.bench.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs beside this one and never outlives it: it and its children are ended by their
 * ids, on {@link #close} or when this process ends. Its output goes to a file. Not thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
  private static final long END_SECONDS = 5;

  private final Process process;
  private final Path output;
  private final Thread hook = new Thread(this::end, "end-child-process");

  private ChildProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a program.
   *
   * @param output file for both of its output streams
   * @param command program and arguments
   */
  public static ChildProcess start(Path output, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().put("LC_ALL", "C");
    builder.environment().put("TZ", "UTC");
    return new ChildProcess(builder.start(), output);
  }

  /**
   * Runs a program to its end and gives its output; one that takes longer is ended.
   *
   * @throws IOException if it could not be started or took too long
   */
  public static String run(Path output, Duration patience, List<String> command)
      throws IOException {
    try (ChildProcess child = start(output, command)) {
      if (!child.awaitEnd(patience)) {
        throw new IOException(command.get(0) + " has not ended after " + patience);
      }
      return child.output();
    }
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

  /** What it has printed. */
  public String output() throws IOException {
    return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
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
   * Interrupts it, as the terminal does: some programs write what they hold only then.
   *
   * @throws IOException if there is no program that sends signals
   */
  public void interrupt() throws IOException {
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
  }

  /** The process's number. */
  public long pid() {
    return process.pid();
  }

  /** Asks it to end, and does not wait. */
  public void terminate() {
    process.destroy();
  }

  /**
   * Ends it at once (SIGKILL) and waits until it is gone; it has no say in it, and its children
   * live on.
   *
   * @throws IOException if it is still there after some seconds
   */
  public void kill() throws IOException {
    process.destroyForcibly();
    if (!awaitEnd(Duration.ofSeconds(END_SECONDS))) {
      throw new IOException("process " + process.pid() + " does not end");
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
