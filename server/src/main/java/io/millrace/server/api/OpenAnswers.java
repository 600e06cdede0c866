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

/** Who is being answered: so many questions of each client, so many in all. Thread-safe. */
public final class OpenAnswers {
  private final int max;
  private final int maxEach;
  private final Map<Client, Integer> open = new HashMap<>();
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

  /** A question that is being answered. */
  public interface Place extends AutoCloseable {
    /** Ends it; to be called once. */
    @Override
    void close();
  }

  /**
   * Begins to answer a question.
   *
   * @throws ApiException with status 429 if the client has too many, 503 if all have
   */
  public synchronized Place take(SocketAddress address) {
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
    return () -> end(client);
  }

  private synchronized void end(Client client) {
    all--;
    open.computeIfPresent(client, (one, own) -> own == 1 ? null : own - 1);
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
