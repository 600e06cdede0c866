package io.millrace.server.flight;

import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.millrace.server.api.ClientRejection;
import io.millrace.server.api.QueriesConfig;
import io.millrace.server.api.QueryAdmission;
import io.millrace.server.api.SenderAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Adds the client to the context of a call, which Flight does not do. When the server has completed
 * a call, the client has a grace period to read the rest from the transport; then the call is
 * aborted. Further calls of a client with too many unread responses are rejected.
 */
final class FlightCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
  private static final Context.Key<CancellableContext> CALL = Context.key("call");

  /** Maximum grace period; sufficient for a client that reads at the minimum rate. */
  private static final long MAX_GRACE_MILLIS = 1_000;

  private final ScheduledExecutorService timer;
  private final Duration timeForTheRest;
  private final long graceMillis;
  private final QueryAdmission admission;
  private final int maxUnread;
  private final int maxUnreadPerClient;

  /** Guarded by itself. */
  private final Map<SenderAddress, Integer> unread = new HashMap<>();

  /**
   * @param admission counts rejected calls
   * @param queries limits of concurrent queries; a client may have twice as many unread responses,
   *     all clients four times as many
   */
  FlightCalls(
      ScheduledExecutorService timer,
      Duration timeForTheRest,
      QueryAdmission admission,
      QueriesConfig queries) {
    this.timer = timer;
    this.timeForTheRest = timeForTheRest;
    graceMillis = Math.min(MAX_GRACE_MILLIS, timeForTheRest.toMillis() / 10);
    this.admission = admission;
    maxUnread = 4 * queries.max();
    maxUnreadPerClient = 2 * queries.maxPerClient();
  }

  int unread() {
    synchronized (unread) {
      return unread.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  private int unread(SenderAddress client) {
    synchronized (unread) {
      return unread.getOrDefault(client, 0);
    }
  }

  /** Returns why a call is rejected, or null. */
  private String whyNot(SocketAddress address) {
    int own = unread(SenderAddress.of(address));
    if (own >= maxUnreadPerClient) {
      admission.countRejection(ClientRejection.UNREAD, address);
      return own
          + " responses to this client are unread, the maximum (twice"
          + " http.queries.max-per-client); read responses completely";
    }
    int all = unread();
    if (all >= maxUnread) {
      admission.countRejection(ClientRejection.ALL_QUERIES, address);
      return all + " responses are unread, the maximum (four times http.queries.max)";
    }
    return null;
  }

  /** Creates a cancellable context for each call. */
  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new ServerStreamTracer() {
      @Override
      public Context filterContext(Context context) {
        CancellableContext call = context.withCancellation();
        return call.withValue(CALL, call);
      }
    };
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    SocketAddress address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    String rejection = whyNot(address);
    if (rejection != null) {
      call.close(Status.RESOURCE_EXHAUSTED.withDescription(rejection), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    FlightClient client = new FlightClient(address, CALL.get());
    Rest rest = new Rest(client);
    return rest.until(
        Contexts.interceptCall(client.in(Context.current()), rest.from(call), headers, next));
  }

  private final class Rest {
    private final FlightClient client;
    private final SenderAddress sender;
    private Future<?> end;
    private boolean isOver;
    private boolean isUnread;

    Rest(FlightClient client) {
      this.client = client;
      sender = SenderAddress.of(client.address());
    }

    private synchronized void begin() {
      if (!isOver) {
        end = timer.schedule(this::remain, graceMillis, TimeUnit.MILLISECONDS);
      }
    }

    private synchronized void remain() {
      if (!isOver) {
        isUnread = true;
        synchronized (unread) {
          unread.merge(sender, 1, Integer::sum);
        }
        long millis = timeForTheRest.toMillis() - graceMillis;
        end = timer.schedule(client::abort, millis, TimeUnit.MILLISECONDS);
      }
    }

    private synchronized void end() {
      isOver = true;
      if (end != null) {
        end.cancel(false);
        end = null;
      }
      if (isUnread) {
        isUnread = false;
        synchronized (unread) {
          unread.computeIfPresent(sender, (one, own) -> own == 1 ? null : own - 1);
        }
      }
    }

    <Q, R> ServerCall<Q, R> from(ServerCall<Q, R> call) {
      return new SimpleForwardingServerCall<>(call) {
        @Override
        public void close(Status status, Metadata trailers) {
          super.close(status, trailers);
          begin();
        }
      };
    }

    <Q> ServerCall.Listener<Q> until(ServerCall.Listener<Q> listener) {
      return new SimpleForwardingServerCallListener<>(listener) {
        @Override
        public void onComplete() {
          end();
          super.onComplete();
        }

        @Override
        public void onCancel() {
          end();
          super.onCancel();
        }
      };
    }
  }
}
