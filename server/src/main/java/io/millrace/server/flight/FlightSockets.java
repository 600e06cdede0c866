package io.millrace.server.flight;

import io.millrace.server.api.ClientRejection;
import io.millrace.server.api.ConnectionsConfig;
import io.millrace.server.api.QueryAdmission;
import io.millrace.server.api.SenderAddress;
import io.netty.channel.Channel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits connections per client and in total. A connection above the client's limit is closed
 * before anything is read; above the total limit, connections wait to be accepted. Thread-safe.
 */
final class FlightSockets implements AutoCloseable {
  private static final long STOP_MILLIS = 1_000;

  private final ConnectionsConfig bounds;
  private final QueryAdmission admission;
  private final NioEventLoopGroup threads =
      new NioEventLoopGroup(0, new DefaultThreadFactory("flight-io", true));
  private final Map<SenderAddress, Integer> open = new HashMap<>();
  private int all;

  FlightSockets(ConnectionsConfig bounds, QueryAdmission admission) {
    this.bounds = bounds;
    this.admission = admission;
  }

  NioEventLoopGroup threads() {
    return threads;
  }

  NioServerSocketChannel listener() {
    return new ListeningChannel();
  }

  private final class ListeningChannel extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      if (super.doReadMessages(accepted) == 0) {
        return 0;
      }
      int newest = accepted.size() - 1;
      Channel connection = (Channel) accepted.get(newest);
      if (admit(this, connection)) {
        return 1;
      }
      accepted.remove(newest);
      connection.unsafe().closeForcibly();
      return 0;
    }
  }

  private synchronized boolean admit(ListeningChannel listening, Channel connection) {
    SocketAddress address = connection.remoteAddress();
    SenderAddress client = SenderAddress.of(address);
    if (open.getOrDefault(client, 0) >= bounds.maxPerClient()) {
      admission.countRejection(ClientRejection.CONNECTIONS, address);
      return false;
    }
    open.merge(client, 1, Integer::sum);
    all++;
    if (all == bounds.max()) {
      listening.config().setAutoRead(false);
    }
    connection.closeFuture().addListener(closed -> end(listening, client));
    return true;
  }

  private synchronized void end(ListeningChannel listening, SenderAddress client) {
    open.computeIfPresent(client, (one, own) -> own == 1 ? null : own - 1);
    if (all-- == bounds.max()) {
      listening.config().setAutoRead(true);
    }
  }

  @Override
  public void close() {
    var unused = threads.shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS);
  }
}
