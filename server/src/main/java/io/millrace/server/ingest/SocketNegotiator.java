package io.millrace.server.ingest;

import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;

/** Accepts WebSockets without extensions, because compression gains nothing for small frames. */
record SocketNegotiator(Supplier<FrameHandler> sockets) implements WebSocketNegotiator {
  @Override
  public FrameHandler negotiate(
      ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
    response.setExtensions(List.of());
    return sockets.get();
  }
}
