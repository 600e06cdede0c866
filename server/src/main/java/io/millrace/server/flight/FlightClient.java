package io.millrace.server.flight;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.SocketAddress;

/** Keeps the address of the client of a call for those who answer it, as Flight does not. */
final class FlightClient implements ServerInterceptor {
  private static final Context.Key<SocketAddress> ADDRESS = Context.key("client");

  /** Of the client whose call this thread works on; null if it works on none. */
  static SocketAddress address() {
    return ADDRESS.get();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    SocketAddress address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return Contexts.interceptCall(
        Context.current().withValue(ADDRESS, address), call, headers, next);
  }
}
