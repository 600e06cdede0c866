package io.millrace.lab.siege;

import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A gateway that sends records with the regular client and knows how many were acknowledged. After
 * a permanent failure it continues with a new sender under the next name, like a restarted gateway.
 */
final class GatewayClient implements AutoCloseable {
  private static final double PER_SECOND = 200;
  private static final int BATCH = 10;
  private static final long TURN_NANOS = (long) (BATCH * 1e9 / PER_SECOND);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final String gateway;
  private final SendConfig config;
  private final BooleanSupplier isPaused;
  private final Thread thread;
  private final TableBlock block = GatewayRecords.block(BATCH);
  private final long startMillis = System.currentTimeMillis();
  private long made;
  private long acceptedBefore;
  private volatile long accepted;
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean isSettled = true;
  private volatile boolean closing;

  /**
   * @param token token for records of this gateway
   * @param isPaused while true, the client waits for acknowledgements and sends nothing more
   */
  GatewayClient(
      String gateway,
      String token,
      int port,
      SendConfig.Protocol protocol,
      BooleanSupplier isPaused) {
    this.gateway = gateway;
    this.isPaused = isPaused;
    config =
        new SendConfig(
            URI.create("http://127.0.0.1:" + port),
            protocol,
            RecordEncoding.JSON,
            BATCH,
            64,
            gateway,
            Optional.of(token),
            Optional.empty(),
            PATIENCE);
    thread = new Thread(this::run, "siege-" + gateway);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    while (!closing) {
      try (RecordSender sender = RecordSender.of(named())) {
        send(sender);
      } catch (IOException e) {
        failures.incrementAndGet();
        acceptedBefore = accepted;
        isSettled = true; // unacknowledged records are not owed
        LockSupport.parkNanos(TURN_NANOS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private SendConfig named() {
    return new SendConfig(
        config.url(),
        config.protocol(),
        config.encoding(),
        config.batch(),
        config.inFlight(),
        name(),
        config.token(),
        config.tls(),
        config.timeout());
  }

  private void send(RecordSender sender) throws IOException, InterruptedException {
    while (!closing) {
      if (isPaused.getAsBoolean()) {
        if (!isSettled) {
          sender.finish();
          accepted = acceptedBefore + sender.counts().accepted();
          isSettled = true;
        }
      } else {
        isSettled = false;
        fill();
        for (int row = 0; row < block.rows(); row++) {
          sender.send(block, row);
        }
        sender.push();
        accepted = acceptedBefore + sender.counts().accepted();
      }
      LockSupport.parkNanos(TURN_NANOS);
    }
  }

  private void fill() {
    byte[] id = gateway.getBytes(StandardCharsets.UTF_8);
    block.clear();
    for (int i = 0; i < BATCH; i++, made++) {
      long micros = startMillis * 1_000 + (long) (made * 1e6 / PER_SECOND) / 1_000 * 1_000;
      GatewayRecords.add(block, id, micros, 100, 1_000, GatewayForm.COUNTER);
    }
  }

  /** Current client name, under which the server knows its frames. */
  String name() {
    long given = failures.get();
    return given == 0 ? gateway : gateway + "-" + given;
  }

  /** Records that the server has acknowledged. */
  long accepted() {
    return accepted;
  }

  /** Number of senders that failed permanently. */
  long failures() {
    return failures.get();
  }

  /** Whether no record from before the pause awaits acknowledgement. */
  boolean isSettled() {
    return isSettled;
  }

  @Override
  public void close() {
    closing = true;
    thread.interrupt();
  }
}
