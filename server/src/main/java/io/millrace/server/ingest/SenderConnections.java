package io.millrace.server.ingest;

import io.millrace.server.api.Listener;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.IO;

/**
 * The connections of each sender, an IPv4 address or 64 bits of an IPv6 address: so many, and no
 * more. A few beyond them are kept until their first request, so that the sender is told; the rest
 * are closed when they come. A sender without connections is forgotten.
 *
 * <p>It also knows which connections rest: those on which no request is being answered. One that
 * rests for too long is closed, whatever part of a request comes meanwhile; so a byte now and then
 * keeps none.
 *
 * <p>Thread-safe.
 */
final class SenderConnections implements SelectorManager.AcceptListener {
  /** Of one sender, kept to be told that they are too many. */
  private static final int MOST_TOLD = 8;

  private final int mostEach;
  private final IngestCounts counts;
  private final Map<SelectableChannel, Place> places = new ConcurrentHashMap<>();
  private final Map<Object, Integer> open = new HashMap<>();

  /**
   * None so far.
   *
   * @param counts where refused ones are counted
   */
  SenderConnections(int mostEach, IngestCounts counts) {
    this.mostEach = mostEach;
    this.counts = counts;
  }

  /** A connection, from when it comes until it ends. */
  private static final class Place {
    final Object sender;
    final boolean isTooMany;
    volatile long restsSince = System.nanoTime();
    volatile boolean isBusy;

    Place(Object sender, boolean isTooMany) {
      this.sender = sender;
      this.isTooMany = isTooMany;
    }

    void rest() {
      restsSince = System.nanoTime();
      isBusy = false;
    }
  }

  @Override
  public void onAccepting(SelectableChannel channel) {
    Object sender = Ingest.addressOf(((SocketChannel) channel).socket().getInetAddress());
    int own;
    synchronized (open) {
      own = open.merge(sender, 1, Integer::sum);
    }
    places.put(channel, new Place(sender, own > mostEach));
    if (own > mostEach) {
      counts.refuse(IngestRefusal.CONNECTIONS, sender);
    }
    if (own > mostEach + MOST_TOLD) {
      IO.close(channel); // which makes accepting it fail
    }
  }

  @Override
  public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
    onClosed(channel);
  }

  @Override
  public void onClosed(SelectableChannel channel) {
    Place place = places.remove(channel);
    if (place != null) {
      synchronized (open) {
        open.computeIfPresent(place.sender, (sender, own) -> own == 1 ? null : own - 1);
      }
    }
  }

  /** Begins to answer a request; false if its connection is one too many. */
  boolean begin(Request request, Response response) {
    Place place = places.get(Listener.socket(request).getTransport());
    if (place == null) {
      return true; // it has just ended
    }
    place.isBusy = true;
    Request.addCompletionListener(
        request,
        failure -> {
          if (response.getStatus() != HttpStatus.SWITCHING_PROTOCOLS_101) {
            place.rest(); // WebSockets are looked after by themselves
          }
        });
    return !place.isTooMany;
  }

  /** Closes those that have rested for as long. */
  void closeResting(Collection<EndPoint> connections, Duration longest) {
    for (EndPoint connection : connections) {
      Place place = places.get(connection.getTransport());
      if (place != null
          && !place.isBusy
          && System.nanoTime() - place.restsSince > longest.toNanos()) {
        connection.close();
      }
    }
  }

  /** Senders that have connections. */
  int senders() {
    synchronized (open) {
      return open.size();
    }
  }
}
