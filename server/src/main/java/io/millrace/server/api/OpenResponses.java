package io.millrace.server.api;

import io.millrace.store.QueryException;
import java.net.SocketAddress;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Admission control of queries: a limit of concurrent ones for each client and in total. At most as
 * many run at a time as there are processors, at least two, but each client may always run one: a
 * client with many queries delays itself first. Thread-safe.
 */
public final class OpenResponses {
  private final int max;
  private final int maxPerClient;
  private final int mostAtWork = Math.max(2, Runtime.getRuntime().availableProcessors());
  private final Map<SenderAddress, Integer> open = new HashMap<>();
  private final Map<SenderAddress, Integer> atWork = new HashMap<>();
  private final EnumMap<ClientRejection, LongAdder> counts = new EnumMap<>(ClientRejection.class);
  private final Refusals refusals = new Refusals();
  private int all;
  private int allAtWork;

  /**
   * Limits concurrent queries.
   *
   * @param max of all clients
   * @param maxPerClient of one client
   */
  public OpenResponses(int max, int maxPerClient) {
    this.max = max;
    this.maxPerClient = maxPerClient;
    for (ClientRejection reason : ClientRejection.values()) {
      counts.put(reason, new LongAdder());
    }
  }

  /** An admitted query. Used by one thread. */
  public final class Place implements AutoCloseable {
    private final SenderAddress client;
    private final Runnable then;
    private boolean isAtWork;

    private Place(SenderAddress client, Runnable then) {
      this.client = client;
      this.then = then;
    }

    /**
     * Blocks until this query may run.
     *
     * @throws ApiException with status 503 if the thread is interrupted
     */
    public void work() {
      if (!isAtWork) {
        begin(client);
        isAtWork = true;
      }
    }

    /**
     * Yields to another query, as while waiting for the client.
     *
     * @return whether this one was running
     */
    public boolean rest() {
      boolean was = isAtWork;
      if (was) {
        pause(client);
        isAtWork = false;
      }
      return was;
    }

    /** Ends the query; call once. */
    @Override
    public void close() {
      rest();
      end(client);
      then.run();
    }
  }

  /**
   * Admits a query.
   *
   * @param then called at its end
   * @throws ApiException with status 429 if the client has too many, 503 if all have
   */
  public synchronized Place take(SocketAddress address, Runnable then) {
    SenderAddress client = SenderAddress.of(address);
    int own = open.getOrDefault(client, 0);
    if (own >= maxPerClient) {
      count(ClientRejection.EACH, client);
      throw new ApiException(
          429,
          own
              + " queries of this client are running, the maximum"
              + " (http.responses.max-per-client); read responses completely");
    }
    if (all >= max) {
      count(ClientRejection.ALL, client);
      throw new ApiException(503, all + " queries are running, the maximum (http.responses.max)");
    }
    open.put(client, own + 1);
    all++;
    return new Place(client, then);
  }

  private synchronized void begin(SenderAddress client) {
    try {
      while (atWork.containsKey(client) && allAtWork >= mostAtWork) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "server shutting down");
    }
    atWork.merge(client, 1, Integer::sum);
    allAtWork++;
  }

  private synchronized void pause(SenderAddress client) {
    decrease(atWork, client);
    allAtWork--;
    notifyAll();
  }

  private synchronized void end(SenderAddress client) {
    all--;
    decrease(open, client);
  }

  private static void decrease(Map<SenderAddress, Integer> counts, SenderAddress client) {
    counts.computeIfPresent(client, (one, own) -> own == 1 ? null : own - 1);
  }

  /** Counts a response aborted because its client read too slowly. */
  public void countGivenUp(SocketAddress address) {
    count(ClientRejection.SLOW, SenderAddress.of(address));
  }

  /** Counts a query that the store rejected. */
  public void countRefused(QueryException.Reason reason, SocketAddress address) {
    ClientRejection.of(reason).ifPresent(refusal -> count(refusal, SenderAddress.of(address)));
  }

  /** Counts a connection rejected because its client had too many. */
  public void countConnection(SocketAddress address) {
    count(ClientRejection.CONNECTIONS, SenderAddress.of(address));
  }

  /** Counts a call rejected because its client had too many unread responses. */
  public void countUntaken(SocketAddress address) {
    count(ClientRejection.UNTAKEN, SenderAddress.of(address));
  }

  /** Counts a call rejected because all clients together had too many unread responses. */
  public void countUntakenOfAll(SocketAddress address) {
    count(ClientRejection.ALL, SenderAddress.of(address));
  }

  void count(ClientRejection reason, SenderAddress client) {
    refusals.add(reason, client.toString()); // before the count, so that its readers find the line
    counts.get(reason).increment();
  }

  /** Recently rejected clients, one line each with a remedy. */
  public List<String> refusals() {
    return refusals.lines("queries");
  }

  /** Running queries. */
  public synchronized int open() {
    return all;
  }

  /** Queries rejected because their client had too many. */
  public long refusedEach() {
    return counts.get(ClientRejection.EACH).sum();
  }

  /** Queries rejected because all clients together had too many. */
  public long refusedAll() {
    return counts.get(ClientRejection.ALL).sum();
  }

  /** Responses aborted because their client read too slowly. */
  public long givenUp() {
    return counts.get(ClientRejection.SLOW).sum();
  }

  /** Connections rejected because their client had too many. */
  public long refusedConnections() {
    return counts.get(ClientRejection.CONNECTIONS).sum();
  }

  /** Calls rejected because their client had too many unread responses. */
  public long refusedUntaken() {
    return counts.get(ClientRejection.UNTAKEN).sum();
  }

  /** Requests aborted because their body was too slow. */
  public long refusedBodies() {
    return counts.get(ClientRejection.SLOW_BODY).sum();
  }
}
