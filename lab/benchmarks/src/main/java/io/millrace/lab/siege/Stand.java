package io.millrace.lab.siege;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.lab.soak.Api;
import io.millrace.lab.soak.Exporters;
import io.millrace.lab.soak.Instance;
import io.millrace.lab.soak.Vitals;
import io.millrace.pulse.FreePort;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.traffic.DialPace;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.Wire;
import io.millrace.wire.block.ExportProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * The product as a separate process, with its legitimate clients: four exporters, two gateways and
 * a dashboard. Owned by one thread.
 */
final class Stand implements AutoCloseable {
  /** Memory of the database, outside the heap. */
  static final int STORE_MIB = 1_024;

  /** Total memory budget: heap, database, and 1.5 GiB for everything else. */
  static final int BUDGET_MIB = Instance.HEAP_MIB + STORE_MIB + 1_536;

  /** Maximum number of rows per datagram. */
  static final int MAX_RECORDS = Exporters.RECORDS;

  private static final List<ExportProtocol> PROTOCOLS =
      List.of(ExportProtocol.SFLOW, ExportProtocol.NETFLOW9);
  private static final long SLACK_NANOS = 100_000_000;
  private static final long LOOK_NANOS = 100_000_000;
  private static final long PAUSED_NANOS = 2_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Timeout of the final counts, which may be slow. */
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(15);

  private static final long STILL_NANOS = Duration.ofSeconds(4).toNanos();
  private static final long BEHIND_NANOS = Duration.ofSeconds(20).toNanos();
  private static final String RELAY_TOKEN = "token-of-the-relay";

  private final Instance instance;
  private final Exporters exporters;
  private final DialPace pace;
  private final Api api;
  private final Api patientApi;
  private final int storePort;
  private final int ingestPort;
  private final Path scratch;
  private Freshness freshness;
  private Dashboard dashboard;
  private MemoryGuard memory;
  private List<GatewayClient> gateways = List.of();
  private volatile boolean paused = true;
  private volatile boolean closing;
  private String lastFailure = "";

  /**
   * Starts the product and waits until it is up; nobody sends yet.
   *
   * @param rate samples per second of the four exporters together
   * @param wire wraps the exporters' sockets
   */
  @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
  Stand(Path directory, double rate, long seed, UnaryOperator<Wire> wire) throws IOException {
    Files.createDirectories(directory);
    scratch = directory.resolve("jcmd.out");
    storePort = FreePort.any();
    ingestPort = FreePort.any();
    Path tokens = directory.resolve("key-tokens");
    Files.writeString(
        tokens,
        "gateways gw-a %s\ngateways gw-b %s\ngateways %s %s\n"
            .formatted(token("gw-a"), token("gw-b"), Target.GATEWAY, token(Target.GATEWAY)));
    instance = new Instance(directory, settings(tokens));
    exporters = new Exporters(instance.udp(), PROTOCOLS, seed, wire);
    pace = new DialPace(second -> rate, SLACK_NANOS);
    api = new Api(instance.httpPort(), PATIENCE);
    patientApi = new Api(instance.httpPort(), LONG_PATIENCE);
    try {
      instance.start();
    } catch (IOException e) {
      close();
      throw e;
    }
    memory = new MemoryGuard(instance.pid(), BUDGET_MIB);
    freshness = new Freshness(api, exporters.addresses());
    dashboard = new Dashboard(api);
    Thread thread = new Thread(this::send, "siege-exporters");
    thread.setDaemon(true);
    thread.setPriority(Thread.MAX_PRIORITY); // a real exporter has its own processor
    thread.start();
    gateways =
        List.of(
            new GatewayClient(
                "gw-a", token("gw-a"), ingestPort, Protocol.WEBSOCKET, this::isPaused),
            new GatewayClient("gw-b", token("gw-b"), ingestPort, Protocol.HTTP, this::isPaused));
  }

  private String settings(Path tokens) {
    return """
    store:
      memory: %dMiB
      listen: 127.0.0.1:%d
    gateways:
      enabled: true
    quota:
      enabled: true
    ingest:
      listen: 127.0.0.1:%d
      token: %s
      key-tokens: %s
    """
        .formatted(STORE_MIB, storePort, ingestPort, RELAY_TOKEN, tokens);
  }

  private static String token(String gateway) {
    return "token-of-" + gateway;
  }

  private void send() {
    try {
      exporters.send(this::due, freshness);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long due(ExportDatagram datagram, long samplesBefore) {
    long due = pace.dueNanos(datagram, samplesBefore);
    if (!paused) {
      return due;
    }
    while (paused && !closing) {
      LockSupport.parkNanos(PAUSED_NANOS);
    }
    return pace.dueNanos(datagram, samplesBefore); // due only now
  }

  private boolean isPaused() {
    return paused;
  }

  /** Creates the view that attackers have of the product. */
  Target target(int seconds, long seed) {
    return new Target(
        instance.pid(),
        instance.udp(),
        instance.httpPort(),
        storePort,
        ingestPort,
        token(Target.GATEWAY),
        RELAY_TOKEN,
        gateways.get(0).name(),
        seconds,
        seed);
  }

  Freshness freshness() {
    return freshness;
  }

  Dashboard dashboard() {
    return dashboard;
  }

  MemoryGuard memory() {
    return memory;
  }

  boolean isAlive() {
    return instance.isAlive();
  }

  /** Lets all clients send again. */
  void resume() {
    paused = false;
  }

  /**
   * Stops all clients; waits until everything is stored or nothing more arrives.
   *
   * @return stored rows of this phase; negative if they cannot be counted
   */
  long pause() {
    paused = true;
    LockSupport.parkNanos(2 * SLACK_NANOS); // senders finish their turn
    long stored = stored();
    long changed = System.nanoTime();
    // Clients with Retry-After retry later.
    while (isAlive() && (stored != freshness.sent() || areGatewaysOwed())) {
      if (System.nanoTime() - changed > (isBehind() ? BEHIND_NANOS : STILL_NANOS)) {
        break;
      }
      LockSupport.parkNanos(LOOK_NANOS);
      long now = stored();
      changed = now == stored ? changed : System.nanoTime();
      stored = now;
    }
    return stored;
  }

  private boolean areGatewaysOwed() {
    return !gateways.stream().allMatch(GatewayClient::isSettled) || gatewayRecordsLost() > 0;
  }

  private boolean isBehind() {
    JsonNode status = dashboard.status();
    return !status.path("state").asText().equals("running")
        || status.path("lag_batches").asLong() > 0;
  }

  private long stored() {
    try {
      return instance.isAlive() ? freshness.stored(patientApi) : -1;
    } catch (IOException e) {
      lastFailure = e.getMessage();
      return -1;
    }
  }

  /** Reason of the last failure to count rows. Used by the pausing thread only. */
  String lastFailure() {
    return lastFailure;
  }

  /**
   * Records acknowledged to the two gateways and in no total; all of them if the query fails.
   * Negative if records were stored that a failed client had not seen acknowledged.
   */
  long gatewayRecordsLost() {
    long accepted = gateways.stream().mapToLong(GatewayClient::accepted).sum();
    try {
      JsonNode rows =
          patientApi.sql(
              "SELECT sum(records + dropped) FROM gateway_days"
                  + " WHERE gateway IN ('gw-a', 'gw-b')");
      return accepted - rows.path(0).path(0).asLong();
    } catch (IOException e) {
      return accepted;
    }
  }

  /** Records acknowledged to the two gateways. */
  long gatewayRecords() {
    return gateways.stream().mapToLong(GatewayClient::accepted).sum();
  }

  /** Number of gateway senders that failed. */
  long gatewayFailures() {
    return gateways.stream().mapToLong(GatewayClient::failures).sum();
  }

  /** Processor time used by the product. */
  double cpuSeconds() {
    return new Proc(instance.pid()).cpuSeconds();
  }

  /** Datagrams that the kernel reports as dropped at the collector's sockets. */
  long kernelDrops() {
    return new Proc(instance.pid()).kernelDrops(instance.udp().getPort());
  }

  /** Rows dropped by the kernel according to the ledger; 0 if it is unavailable. */
  long rowsDroppedByKernel() {
    return exporters.truth().stream().mapToLong(this::rowsDroppedByKernel).sum();
  }

  private long rowsDroppedByKernel(Exporters.Truth exporter) {
    long datagrams = 0;
    try {
      JsonNode ledger = patientApi.get("ledger?exporter=" + exporter.address());
      for (JsonNode entry : ledger.path("exporters")) {
        datagrams += entry.path("dropped_by_kernel").asLong();
      }
    } catch (IOException e) {
      return 0; // no evidence
    }
    return datagrams * exporter.recordsEach();
  }

  /** Heap after a full collection, in MiB; NaN if unknown. */
  double heapMib() {
    Vitals vitals = new Vitals(instance.pid());
    try {
      vitals.collect(scratch);
    } catch (IOException e) {
      return Double.NaN;
    }
    return vitals.last(Vitals.Kind.HEAP_MIB);
  }

  @Override
  public void close() throws IOException {
    closing = true;
    exporters.stop();
    gateways.forEach(GatewayClient::close);
    if (memory != null) {
      memory.close();
      freshness.close();
      dashboard.close();
    }
    instance.close();
    exporters.close();
  }
}
