package io.millrace.server.api;

import static io.millrace.server.api.Listener.socket;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IO;

/**
 * Limits the connections of each sender. A few connections above the limit stay open until their
 * first request, which gets an error response; others are closed immediately. Senders without
 * connections are not remembered.
 *
 * <p>Closes a connection without a request in progress after the idle timeout, even if parts of
 * request headers arrive, so that slow headers do not keep it open. {@link PacedBody} limits slow
 * bodies.
 *
 * <p>Thread-safe.
 */
final class SenderConnections extends Handler.Wrapper implements SelectorManager.AcceptListener {
  /** Maximum connections of a sender that stay open for an error response. */
  private static final int MAX_NOTIFIED = 8;

  private static final int CHECKS_IN_IDLE_TIME = 3;
  private static final HttpField CLOSE = new HttpField(HttpHeader.CONNECTION, "close");

  private final ServerConnector connector;
  private final SenderBounds bounds;
  private final Consumer<SenderAddress> tooMany;
  private final Consumer<SenderAddress> tooSlow;
  private final Map<SelectableChannel, Place> places = new ConcurrentHashMap<>();
  private final Map<SenderAddress, Integer> open = new HashMap<>();

  SenderConnections(
      ServerConnector connector,
      SenderBounds bounds,
      Consumer<SenderAddress> tooMany,
      Consumer<SenderAddress> tooSlow) {
    this.connector = connector;
    this.bounds = bounds;
    this.tooMany = tooMany;
    this.tooSlow = tooSlow;
  }

  private static final class Place {
    final SenderAddress sender;
    final boolean isTooMany;
    volatile long restsSince = System.nanoTime();
    volatile boolean isBusy;

    Place(SenderAddress sender, boolean isTooMany) {
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
    SenderAddress sender =
        SenderAddress.of(((SocketChannel) channel).socket().getRemoteSocketAddress());
    int own;
    synchronized (open) {
      own = open.merge(sender, 1, Integer::sum);
    }
    boolean isTooMany = own > bounds.connectionsEach();
    places.put(channel, new Place(sender, isTooMany));
    if (isTooMany) {
      tooMany.accept(sender);
    }
    if (own > bounds.connectionsEach() + MAX_NOTIFIED) {
      IO.close(channel); // makes the accept fail
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

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Place place = places.get(socket(request).getTransport());
    if (place == null) {
      return super.handle(request, response, callback); // the connection is closed
    }
    PacedBody paced = new PacedBody(request, bounds.body(), () -> tooSlow.accept(place.sender));
    place.isBusy = true;
    Request.addCompletionListener(
        request,
        failure -> {
          paced.stop();
          if (response.getStatus() != HttpStatus.SWITCHING_PROTOCOLS_101) {
            place.rest(); // WebSockets have separate limits
          }
        });
    if (place.isTooMany) {
      RestOfBody.skipShort(paced, () -> HttpServer.fail(response, callback, rejection()));
      return true;
    }
    return super.handle(paced, response, callback);
  }

  private ApiException rejection() {
    return new ApiException(
        429,
        "this sender has %d connections, the maximum (%s); reuse them"
            .formatted(bounds.connectionsEach(), bounds.settingEach()),
        CLOSE);
  }

  void watch() {
    var unused =
        connector
            .getScheduler()
            .schedule(
                this::closeResting,
                bounds.idle().toNanos() / CHECKS_IN_IDLE_TIME,
                TimeUnit.NANOSECONDS);
  }

  private void closeResting() {
    for (EndPoint connection : connector.getConnectedEndPoints()) {
      Place place = places.get(connection.getTransport());
      if (place != null
          && !place.isBusy
          && System.nanoTime() - place.restsSince > bounds.idle().toNanos()) {
        connection.close();
      }
    }
    watch();
  }

  int senders() {
    synchronized (open) {
      return open.size();
    }
  }
}
