package io.millrace.bench.ads;

import io.millrace.bench.peers.ChildProcess;
import io.millrace.bench.peers.DebianPackages;
import io.millrace.pipelines.ads.AdRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A redis-server on loopback that keeps nothing on disk. */
public final class RedisServer implements AutoCloseable {
  private static final String PROGRAM = "redis-server";
  private static final long START_NANOS = Duration.ofSeconds(20).toNanos();

  private final ChildProcess process;
  private final int port;

  private RedisServer(ChildProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Sees to it that there is a redis-server; why there is none, as one line, if there is none. */
  public static Optional<String> require() throws IOException {
    return DebianPackages.require(Map.of(PROGRAM, PROGRAM));
  }

  /**
   * Starts one on a free port, and waits until it answers.
   *
   * @param directory for its output; made if it is missing
   */
  public static RedisServer start(Path directory) throws IOException {
    Files.createDirectories(directory);
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    ChildProcess process =
        ChildProcess.start(
            directory.resolve("redis.out"),
            List.of(
                DebianPackages.find(PROGRAM).orElseThrow().toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--save",
                "",
                "--appendonly",
                "no"));
    RedisServer server = new RedisServer(process, port);
    long deadline = System.nanoTime() + START_NANOS;
    while (!process.output().contains("Ready to accept connections")) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        process.close();
        throw new IOException(PROGRAM + " does not answer: " + process.output().strip());
      }
      LockSupport.parkNanos(5_000_000);
    }
    return server;
  }

  /** Where it is. */
  public URI url() {
    return URI.create("redis://127.0.0.1:" + port);
  }

  /** Its port. */
  public int port() {
    return port;
  }

  /** The process's number. */
  public long pid() {
    return process.pid();
  }

  /** A new connection. */
  public AdRedis connect() {
    return new AdRedis(url());
  }

  @Override
  public void close() {
    process.close();
  }
}
