package io.millrace.server.api;

import io.millrace.store.QueryException;
import java.net.SocketAddress;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Who is being answered: so many questions of each client, so many in all. No more are worked on at
 * a time than there are processors, at least two, but that each client has one of them whatever the
 * others ask: who asks much waits for itself, before anyone else does. Thread-safe.
 */
public final class OpenAnswers {
  private final int max;
  private final int maxEach;
  private final int mostAtWork = Math.max(2, Runtime.getRuntime().availableProcessors());
  private final Map<SenderAddress, Integer> open = new HashMap<>();
  private final Map<SenderAddress, Integer> atWork = new HashMap<>();
  private final EnumMap<AnswerRefusal, LongAdder> counts = new EnumMap<>(AnswerRefusal.class);
  private final Refusals refusals = new Refusals();
  private int all;
  private int allAtWork;

  /** No answers are open yet. */
  public OpenAnswers(int max, int maxEach) {
    this.max = max;
    this.maxEach = maxEach;
    for (AnswerRefusal reason : AnswerRefusal.values()) {
      counts.put(reason, new LongAdder());
    }
  }

  /** A question that is being answered. Used by one thread. */
  public final class Place implements AutoCloseable {
    private final SenderAddress client;
    private final Runnable then;
    private boolean isAtWork;

    private Place(SenderAddress client, Runnable then) {
      this.client = client;
      this.then = then;
    }

    /**
     * Waits until this question may be worked on.
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
     * Lets another question of the client be worked on, as while the client is waited for.
     *
     * @return whether this one was
     */
    public boolean rest() {
      boolean was = isAtWork;
      if (was) {
        pause(client);
        isAtWork = false;
      }
      return was;
    }

    /** Ends it; to be called once. */
    @Override
    public void close() {
      rest();
      end(client);
      then.run();
    }
  }

  /**
   * Begins to answer a question.
   *
   * @param then called when it is over
   * @throws ApiException with status 429 if the client has too many, 503 if all have
   */
  public synchronized Place take(SocketAddress address, Runnable then) {
    SenderAddress client = SenderAddress.of(address);
    int own = open.getOrDefault(client, 0);
    if (own >= maxEach) {
      count(AnswerRefusal.EACH, client);
      throw new ApiException(
          429,
          own
              + " questions of this client are being answered, more are not taken"
              + " (http.answers.max-each): read answers to their end");
    }
    if (all >= max) {
      count(AnswerRefusal.ALL, client);
      throw new ApiException(
          503, all + " questions are being answered, more are not taken (http.answers.max)");
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
      throw new ApiException(503, "the server is stopping");
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

  /** Counts an answer that was broken off because its client read too slowly. */
  public void countGivenUp(SocketAddress address) {
    count(AnswerRefusal.SLOW, SenderAddress.of(address));
  }

  /** Counts what the store refused a client. */
  public void countRefused(QueryException.Reason reason, SocketAddress address) {
    AnswerRefusal.of(reason).ifPresent(refusal -> count(refusal, SenderAddress.of(address)));
  }

  /** Counts a connection that was refused because its client had too many. */
  public void countConnection(SocketAddress address) {
    count(AnswerRefusal.CONNECTIONS, SenderAddress.of(address));
  }

  /** Counts a call that was refused because its client had not taken the answers to others. */
  public void countUntaken(SocketAddress address) {
    count(AnswerRefusal.UNTAKEN, SenderAddress.of(address));
  }

  /** Counts a call that was refused because all clients together had not taken too many. */
  public void countUntakenOfAll(SocketAddress address) {
    count(AnswerRefusal.ALL, SenderAddress.of(address));
  }

  /** Counts what a client was refused. */
  void count(AnswerRefusal reason, SenderAddress client) {
    refusals.add(reason, client.toString()); // first: whoever sees the count sees the line
    counts.get(reason).increment();
  }

  /** Who was refused what of late, one line each with what to do. */
  public List<String> refusals() {
    return refusals.lines("questions");
  }

  /** Questions that are being answered. */
  public synchronized int open() {
    return all;
  }

  /** Questions refused because their client had too many. */
  public long refusedEach() {
    return counts.get(AnswerRefusal.EACH).sum();
  }

  /** Questions refused because all clients together had too many. */
  public long refusedAll() {
    return counts.get(AnswerRefusal.ALL).sum();
  }

  /** Answers that were broken off because their client read too slowly. */
  public long givenUp() {
    return counts.get(AnswerRefusal.SLOW).sum();
  }

  /** Connections refused because their client had too many. */
  public long refusedConnections() {
    return counts.get(AnswerRefusal.CONNECTIONS).sum();
  }

  /** Calls refused because their client had not taken the answers to others. */
  public long refusedUntaken() {
    return counts.get(AnswerRefusal.UNTAKEN).sum();
  }

  /** Requests that were given up because their body came too slowly. */
  public long refusedBodies() {
    return counts.get(AnswerRefusal.SLOW_BODY).sum();
  }
}
