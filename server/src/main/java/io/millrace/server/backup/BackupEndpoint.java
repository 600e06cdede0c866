package io.millrace.server.backup;

import io.millrace.server.api.ApiException;
import io.millrace.server.api.Exchange;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * {@code POST /api/v1/backup} makes a copy of the store on the host of the instance and returns its
 * directory; {@code DELETE /api/v1/backup} deletes the copy. Only one request at a time.
 */
public final class BackupEndpoint {
  private final Source source;
  private final Store store;
  private final Semaphore one = new Semaphore(1);

  /** Makes copies of the store. */
  @FunctionalInterface
  public interface Source {
    /** Makes a copy, and returns its directory. */
    Path backUp() throws IOException;
  }

  /**
   * Creates the endpoint.
   *
   * @param source makes the copy of the store
   */
  public BackupEndpoint(Source source, Store store) {
    this.source = source;
    this.store = store;
  }

  /** Makes a copy, which replaces the last one. */
  public void make(Exchange exchange) throws IOException {
    exchange
        .body(); // requires JSON, which a page of another origin cannot send without a preflight
    alone(
        () -> {
          Path folder = source.backUp();
          exchange.respond(Map.of("directory", folder.toAbsolutePath().toString()));
        });
  }

  /** Deletes the copy. */
  public void drop(Exchange exchange) throws IOException {
    alone(
        () -> {
          store.dropBackup();
          exchange.respond(Map.of());
        });
  }

  private interface Work {
    void run() throws IOException;
  }

  private void alone(Work work) throws IOException {
    if (!one.tryAcquire()) {
      throw new ApiException(429, "another backup is being made; retry when it has ended");
    }
    try {
      work.run();
    } catch (StoreException e) {
      throw new ApiException(503, e.getMessage());
    } finally {
      one.release();
    }
  }
}
