package io.millrace.server.api;

import io.millrace.store.QueryException;
import io.millrace.wire.block.Addresses;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who is being answered: so many questions of each client, so many in all. Of one client no more
 * are worked on at a time than there are processors, at least two, and the others wait in line: who
 * asks much waits for itself, before anyone else does. Thread-safe.
 */
public final class OpenAnswers {
  private final int max;
  private final int maxEach;
  private final int atWorkEach = Math.max(2, Runtime.getRuntime().availableProcessors());
  private final Map<Client, Integer> open = new HashMap<>();
  private final Map<Client, Integer> atWork = new HashMap<>();
  private final AtomicLong refusedEach = new AtomicLong();
  private final AtomicLong refusedAll = new AtomicLong();
  private final AtomicLong givenUp = new AtomicLong();
  private final Refusals refusals = new Refusals();
  private int all;

  /** Nobody, to begin with. */
  public OpenAnswers(int max, int maxEach) {
    this.max = max;
    this.maxEach = maxEach;
  }

  /** A client, by what its network lets it choose: see {@link Addresses#senderLow}. */
  private record Client(long high, long low) {
    static final Client UNKNOWN = new Client(Addresses.NULL, Addresses.NULL);

    static Client of(SocketAddress address) {
      if (!(address instanceof InetSocketAddress socket) || socket.getAddress() == null) {
        return UNKNOWN;
      }
      InetAddress host = socket.getAddress();
      ByteBuffer bytes = ByteBuffer.wrap(host.getAddress());
      if (host instanceof Inet4Address) {
        return new Client(0, Addresses.v4Low(bytes.getInt()));
      }
      long high = bytes.getLong();
      return new Client(high, Addresses.senderLow(high, bytes.getLong()));
    }

    @Override
    public String toString() {
      if (equals(UNKNOWN)) {
        return "somebody";
      }
      return Addresses.toText(high, low) + (Addresses.isV4(high, low) ? "" : "/64");
    }
  }

  /** A question that is being answered. Used by one thread. */
  public final class Place implements AutoCloseable {
    private final Client client;
    private final Runnable then;
    private boolean isAtWork;

    private Place(Client client, Runnable then) {
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
    Client client = Client.of(address);
    int own = open.getOrDefault(client, 0);
    if (own >= maxEach) {
      refusedEach.incrementAndGet();
      refusals.add(AnswerRefusal.EACH, client.toString());
      throw new ApiException(
          429,
          own
              + " questions of this client are being answered, more are not taken"
              + " (http.answers.max-each): read answers to their end");
    }
    if (all >= max) {
      refusedAll.incrementAndGet();
      refusals.add(AnswerRefusal.ALL, client.toString());
      throw new ApiException(
          503, all + " questions are being answered, more are not taken (http.answers.max)");
    }
    open.put(client, own + 1);
    all++;
    return new Place(client, then);
  }

  private synchronized void begin(Client client) {
    try {
      while (atWork.getOrDefault(client, 0) >= atWorkEach) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiException(503, "the server is stopping");
    }
    atWork.merge(client, 1, Integer::sum);
  }

  private synchronized void pause(Client client) {
    decrease(atWork, client);
    notifyAll();
  }

  private synchronized void end(Client client) {
    all--;
    decrease(open, client);
  }

  private static void decrease(Map<Client, Integer> counts, Client client) {
    counts.computeIfPresent(client, (one, own) -> own == 1 ? null : own - 1);
  }

  /** Counts an answer that was broken off because its client read too slowly. */
  public void countGivenUp(SocketAddress address) {
    givenUp.incrementAndGet();
    refusals.add(AnswerRefusal.SLOW, Client.of(address).toString());
  }

  /** Counts what the store refused a client. */
  public void countRefused(QueryException.Reason reason, SocketAddress address) {
    AnswerRefusal.of(reason)
        .ifPresent(refusal -> refusals.add(refusal, Client.of(address).toString()));
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
    return refusedEach.get();
  }

  /** Questions refused because all clients together had too many. */
  public long refusedAll() {
    return refusedAll.get();
  }

  /** Answers that were broken off because their client read too slowly. */
  public long givenUp() {
    return givenUp.get();
  }
}
