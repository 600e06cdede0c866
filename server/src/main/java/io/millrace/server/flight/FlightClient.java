package io.millrace.server.flight;

import io.grpc.Context;
import java.net.SocketAddress;
import java.util.concurrent.TimeoutException;

/** Client of a call; {@code address} is null if unknown. */
record FlightClient(SocketAddress address, Context.CancellableContext call) {
  private static final Context.Key<FlightClient> CURRENT = Context.key("client");

  /** Client of the call on this thread; null outside of calls. */
  static FlightClient current() {
    return CURRENT.get();
  }

  Context in(Context context) {
    return context.withValue(CURRENT, this);
  }

  void abort() {
    // gRPC resets a stream, and discards its unsent data, only on a time-out.
    call.cancel(new TimeoutException("client is not reading rows"));
  }
}
