package io.millrace.server.api;

import io.millrace.server.metrics.RejectionCounts;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Admission control of queries. Limits the number of concurrent queries per client and in total;
 * further ones are rejected. Of the admitted queries, as many run as there are processors, and at
 * least two; in addition, each client may always run one. So a client with many queries delays its
 * own first. Exports take minutes, so they do not count as such queries: one of each client runs.
 * Thread-safe.
 */
public final class QueryAdmission {
  private final int max;
  private final int maxPerClient;
  private final Map<SenderAddress, Integer> open = new HashMap<>();
  private final Running queries =
      new Running(Math.max(2, Runtime.getRuntime().availableProcessors()));
  private final Running exports = new Running(1);
  private final RejectionCounts<ClientRejection> rejections =
      new RejectionCounts<>(ClientRejection.class);
  private int all;

  /**
   * Limits concurrent queries.
   *
   * @param max limit of all clients
   * @param maxPerClient limit of one client
   */
  public QueryAdmission(int max, int maxPerClient) {
    this.max = max;
    this.maxPerClient = maxPerClient;
  }

  /** Queries of one kind that run: a maximum in all, and at least one of each client. */
  private static final class Running {
    private final int max;
    private final Map<SenderAddress, Integer> byClient = new HashMap<>();
    private int all;

    Running(int max) {
      this.max = max;
    }

    synchronized void start(SenderAddress client) {
      try {
        while (byClient.containsKey(client) && all >= max) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ApiException(503, "server shutting down");
      }
      byClient.merge(client, 1, Integer::sum);
      all++;
    }

    synchronized void stop(SenderAddress client) {
      decrease(byClient, client);
      all--;
      notifyAll();
    }
  }

  /** An admitted query. Used by one thread. */
  public final class Slot implements AutoCloseable {
    private final SenderAddress client;
    private final Runnable then;
    private Running running;

    private Slot(SenderAddress client, Runnable then) {
      this.client = client;
      this.then = then;
    }

    /**
     * Blocks until this query may run.
     *
     * @throws ApiException with status 503 if the thread is interrupted
     */
    public void resume() {
      resume(queries);
    }

    /**
     * Blocks until this export may run.
     *
     * @throws ApiException with status 503 if the thread is interrupted
     */
    public void resumeExport() {
      resume(exports);
    }

    private void resume(Running kind) {
      if (running == null) {
        kind.start(client);
        running = kind;
      }
    }

    /**
     * Lets another query run, for example while this one waits for its client.
     *
     * @return whether this one was running
     */
    public boolean pause() {
      boolean was = running != null;
      if (was) {
        running.stop(client);
        running = null;
      }
      return was;
    }

    /** Ends the query; call once. */
    @Override
    public void close() {
      pause();
      end(client);
      then.run();
    }
  }

  /**
   * Admits a query.
   *
   * @param then called when the query ends
   * @throws ApiException with status 429 if the client has too many, 503 if all have
   */
  public synchronized Slot admit(SocketAddress address, Runnable then) {
    SenderAddress client = SenderAddress.of(address);
    int own = open.getOrDefault(client, 0);
    if (own >= maxPerClient) {
      countRejection(ClientRejection.CLIENT_QUERIES, client);
      throw new ApiException(
          429,
          own
              + " queries of this client are running, the maximum"
              + " (http.queries.max-per-client); read responses completely");
    }
    if (all >= max) {
      countRejection(ClientRejection.ALL_QUERIES, client);
      throw new ApiException(503, all + " queries are running, the maximum (http.queries.max)");
    }
    open.put(client, own + 1);
    all++;
    return new Slot(client, then);
  }

  private synchronized void end(SenderAddress client) {
    all--;
    decrease(open, client);
  }

  private static void decrease(Map<SenderAddress, Integer> counts, SenderAddress client) {
    counts.computeIfPresent(client, (one, own) -> own == 1 ? null : own - 1);
  }

  /** Counts a rejection by another limit. */
  public void countRejection(ClientRejection reason, SocketAddress address) {
    countRejection(reason, SenderAddress.of(address));
  }

  void countRejection(ClientRejection reason, SenderAddress client) {
    rejections.add(reason, client);
  }

  /** Number of rejections for a reason. */
  public long rejected(ClientRejection reason) {
    return rejections.total(reason);
  }

  /** Recently rejected clients, a line each, with a remedy. */
  public List<String> recentRejections() {
    return rejections.lines("queries");
  }

  /** Number of admitted queries that have not ended. */
  public synchronized int open() {
    return all;
  }
}
