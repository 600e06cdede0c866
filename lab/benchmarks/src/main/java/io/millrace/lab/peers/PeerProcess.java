package io.millrace.lab.peers;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A peer that is a program of its own: how it is started, waited for and ended. */
abstract class PeerProcess implements Peer {
  private static final Duration START = Duration.ofSeconds(20);
  private static final long REST_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long POLL_NANOS = Duration.ofMillis(500).toNanos();

  private static final Duration END = Duration.ofSeconds(10);

  /** Processor time within a poll below which a program counts as at rest. */
  private static final Duration AT_REST = Duration.ofMillis(15);

  private final String program;
  private ChildProcess child;
  private int port;

  PeerProcess(String program) {
    this.program = program;
  }

  @Override
  public final String name() {
    return program;
  }

  /** The command that collects at the port into the directory. */
  abstract List<String> command(Path directory, int port) throws IOException;

  @Override
  public int start(Path directory) throws IOException {
    port = FreePort.any();
    child = ChildProcess.start(directory.resolve(program + ".out"), command(directory, port));
    try {
      child.awaitReady(START, () -> UdpSocketTable.find(port).isPresent());
    } catch (IOException e) {
      stop();
      throw e;
    }
    return port;
  }

  /** Waits until nothing is in its socket's buffer and it does no work, or the time is over. */
  final void awaitRest() throws IOException {
    long deadline = System.nanoTime() + REST_NANOS;
    Duration before = child.processorTime();
    while (System.nanoTime() < deadline && child.isAlive()) {
      LockSupport.parkNanos(POLL_NANOS);
      Duration now = child.processorTime();
      Optional<UdpSocketTable.Socket> socket = UdpSocketTable.find(port);
      boolean isEmpty = socket.isEmpty() || socket.get().queuedBytes() == 0;
      if (isEmpty && now.minus(before).compareTo(AT_REST) < 0) {
        return;
      }
      before = now;
    }
  }

  /** Has it write what it holds, and end. */
  final void interrupt() throws IOException {
    child.signal("INT");
    child.awaitEnd(END);
  }

  @Override
  public void stop() {
    if (child != null) {
      child.close();
      child = null;
    }
  }

  @Override
  public void close() {
    stop();
  }
}
