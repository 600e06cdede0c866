package io.millrace.lab.ads;

import io.millrace.lab.peers.DebianPackages;
import io.millrace.pipelines.ads.AdRedis;
import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A redis-server on loopback, without persistence. */
public final class RedisServer implements AutoCloseable {
  private static final String PROGRAM = "redis-server";
  private static final Pattern READY = Pattern.compile("Ready to accept connections");
  private static final Duration START = Duration.ofSeconds(20);

  private final ChildProcess process;
  private final int port;

  private RedisServer(ChildProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Installs redis-server if missing; returns one line that says why this failed, or empty. */
  public static Optional<String> require() throws IOException {
    return DebianPackages.require(Map.of(PROGRAM, PROGRAM));
  }

  /**
   * Starts a server on a free port, and waits until it is ready.
   *
   * @param directory for its output; created if missing
   */
  public static RedisServer start(Path directory) throws IOException {
    Files.createDirectories(directory);
    int port = FreePort.any();
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
    try {
      var unused = process.awaitOutput(START, READY);
    } catch (IOException e) {
      process.close();
      throw e;
    }
    return new RedisServer(process, port);
  }

  /** URL of the server. */
  public URI url() {
    return URI.create("redis://127.0.0.1:" + port);
  }

  /** Port of the server. */
  public int port() {
    return port;
  }

  /** Opens a connection. */
  public AdRedis connect() {
    return new AdRedis(url());
  }

  @Override
  public void close() {
    process.close();
  }
}
