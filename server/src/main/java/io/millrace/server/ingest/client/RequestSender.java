package io.millrace.server.ingest.client;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayEncoding;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Sends a request for each batch, many at a time over connections that are kept. A request that was
 * not answered, or refused for want of room, is sent again: its records may be in the log twice
 * then, and the job counts them once.
 */
final class RequestSender implements GatewaySender {
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final long RETRY_MILLIS = 200;

  private final SendConfig config;
  private final URI uri;
  private final HttpClient http;
  private final RecordBatch batch;

  private volatile boolean isReached; // if not, it is not waited for

  // Guarded by this.
  private int open;
  private long sent;
  private long accepted;
  private long refused;
  private long attempts;
  private String complaint = "";
  private IOException failure;

  RequestSender(SendConfig config) {
    this.config = config;
    uri = config.endpoint();
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10));
    config.tls().ifPresent(builder::sslContext);
    http = builder.build();
    batch = new RecordBatch(config.encoding());
  }

  @Override
  public void send(GatewayBlock block, int row) throws IOException, InterruptedException {
    batch.add(block, row);
    if (batch.records() >= config.batch()) {
      push();
    }
  }

  @Override
  public void push() throws IOException, InterruptedException {
    if (batch.records() == 0) {
      return;
    }
    int records = batch.records();
    awaitOpen(config.inFlight() - 1);
    synchronized (this) {
      open++;
      sent += records;
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(ANSWER)
            .header(
                "Content-Type",
                config.encoding() == GatewayEncoding.AVRO
                    ? "application/avro"
                    : "application/x-ndjson")
            .POST(BodyPublishers.ofByteArray(batch.take()));
    config.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    attempt(request.build(), records, System.nanoTime() + config.patience().toNanos());
  }

  private void attempt(HttpRequest request, int records, long deadline) {
    var unused =
        http.sendAsync(request, BodyHandlers.ofString())
            .handle(
                (answer, cause) -> {
                  if (answer != null) {
                    isReached = true;
                  }
                  boolean isAgain =
                      answer == null
                          ? isReached
                          : answer.statusCode() == 503 || answer.statusCode() == 429;
                  if (isAgain && System.nanoTime() < deadline) {
                    synchronized (this) {
                      attempts++;
                    }
                    CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(() -> attempt(request, records, deadline));
                  } else {
                    settle(answer, cause, records);
                  }
                  return null;
                });
  }

  private synchronized void settle(HttpResponse<String> answer, Throwable cause, int records) {
    open--;
    if (answer == null) {
      Throwable root = cause instanceof CompletionException ? cause.getCause() : cause;
      failure = Unreachable.because(config.url(), root);
    } else if (answer.statusCode() == 202) {
      accepted += records;
    } else if (answer.statusCode() == 400) {
      refused += records;
      if (complaint.isEmpty()) {
        complaint = Unreachable.message(answer.body());
      }
    } else {
      failure = Unreachable.refused(config.url(), answer.statusCode(), answer.body());
    }
    notifyAll();
  }

  private synchronized void awaitOpen(int most) throws IOException, InterruptedException {
    while (open > most && failure == null) {
      wait();
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void finish() throws IOException, InterruptedException {
    push();
    awaitOpen(0);
  }

  @Override
  public synchronized Counts counts() {
    return new Counts(sent, accepted, refused, attempts);
  }

  @Override
  public synchronized String complaint() {
    return complaint;
  }

  @Override
  public void close() {}
}
