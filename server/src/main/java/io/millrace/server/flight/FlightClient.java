package io.millrace.server.flight;

import io.grpc.Context;
import java.net.SocketAddress;
import java.util.concurrent.TimeoutException;

/**
 * The client of a call.
 *
 * @param address where it is; null if that is not known
 * @param call what the call's context follows from
 */
record FlightClient(SocketAddress address, Context.CancellableContext call) {
  private static final Context.Key<FlightClient> CURRENT = Context.key("client");

  /** Of whom this thread answers a call; null if it answers none. */
  static FlightClient current() {
    return CURRENT.get();
  }

  /** The context with this client as the current one. */
  Context in(Context context) {
    return context.withValue(CURRENT, this);
  }

  /** Ends the call, and forgets what the client has not taken of the answer. */
  void breakOff() {
    // gRPC resets a stream, and with it drops what waits to be sent, only when time is out.
    call.cancel(new TimeoutException("the rows are not taken"));
  }
}
