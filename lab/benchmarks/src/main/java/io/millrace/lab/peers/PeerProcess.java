package io.millrace.lab.peers;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A peer that runs as its own process. */
abstract class PeerProcess implements Peer {
  private static final Duration START = Duration.ofSeconds(20);
  private static final long REST_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long POLL_NANOS = Duration.ofMillis(500).toNanos();

  private static final Duration END = Duration.ofSeconds(10);

  /** Processor time per poll below which a program counts as idle. */
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

  /** The command of a collector that listens at the port and writes to the directory. */
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

  /** Waits until its socket's buffer is empty and it is idle, or until a timeout. */
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

  /** Makes it flush its buffers and exit. */
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
