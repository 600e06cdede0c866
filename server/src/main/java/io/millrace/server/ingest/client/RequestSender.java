package io.millrace.server.ingest.client;

import io.millrace.wire.record.RecordEncoding;
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
 * Sends each batch as an HTTP request, many concurrently over persistent connections. A request
 * that fails or is rejected by back-pressure is retried. Its records may then be in the log twice;
 * the job counts them once.
 */
final class RequestSender extends BatchSender {
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final long RETRY_MILLIS = 200;

  private final URI uri;
  private final HttpClient http;

  private volatile boolean isReached; // until the first response, a failure is final

  // Guarded by this.
  private int open;
  private IOException failure;

  RequestSender(SendConfig config) {
    super(config);
    uri = config.endpoint();
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10));
    config.tls().ifPresent(builder::sslContext);
    http = builder.build();
  }

  @Override
  void write(byte[] payload, int records) {
    synchronized (this) {
      open++;
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(ANSWER)
            .header(
                "Content-Type",
                config.encoding() == RecordEncoding.AVRO
                    ? "application/avro"
                    : "application/x-ndjson")
            .POST(BodyPublishers.ofByteArray(payload));
    config.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    attempt(request.build(), records, System.nanoTime() + config.timeout().toNanos());
  }

  private void attempt(HttpRequest request, int records, long deadline) {
    var unused =
        http.sendAsync(request, BodyHandlers.ofString())
            .handle(
                (response, cause) -> {
                  if (response != null) {
                    isReached = true;
                  }
                  boolean isAgain =
                      response == null
                          ? isReached
                          : response.statusCode() == 503 || response.statusCode() == 429;
                  if (isAgain && System.nanoTime() < deadline) {
                    synchronized (this) {
                      attempts++;
                    }
                    CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(() -> attempt(request, records, deadline));
                  } else {
                    settle(response, cause, records);
                  }
                  return null;
                });
  }

  private synchronized void settle(HttpResponse<String> response, Throwable cause, int records) {
    open--;
    if (response == null) {
      Throwable root = cause instanceof CompletionException ? cause.getCause() : cause;
      failure = Unreachable.because(config.url(), root);
    } else if (response.statusCode() == 202) {
      accepted += records;
    } else if (response.statusCode() == 400) {
      rejected += records;
      recordError(Unreachable.message(response.body()));
    } else {
      failure = Unreachable.rejected(config.url(), response.statusCode(), response.body());
    }
    notifyAll();
  }

  @Override
  synchronized void awaitOpen(int max) throws IOException, InterruptedException {
    while (open > max && failure == null) {
      wait();
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void close() {}
}
