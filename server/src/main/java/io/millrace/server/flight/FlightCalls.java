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
import io.millrace.server.api.OpenResponses;
import io.millrace.server.api.ResponsesConfig;
import io.millrace.server.api.SenderAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Attaches the client to a call's context, which Flight does not. After a call is complete on the
 * server, the client has a grace period to read the rest from the transport; then the call is
 * aborted. A client with too many unread responses gets no further ones.
 */
final class FlightCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
  private static final Context.Key<CancellableContext> CALL = Context.key("call");

  /** Sufficient for a client that reads at the minimum rate. */
  private static final long MAX_GRACE_MILLIS = 1_000;

  private final ScheduledExecutorService timer;
  private final Duration timeForTheRest;
  private final long graceMillis;
  private final OpenResponses responses;
  private final int maxUntaken;
  private final int maxUntakenEach;

  /** Guarded by itself. */
  private final Map<SenderAddress, Integer> untaken = new HashMap<>();

  /**
   * @param responses counts rejected calls
   * @param most limits of concurrent queries; twice as many responses may be unread for a client,
   *     four times as many in total
   */
  FlightCalls(
      ScheduledExecutorService timer,
      Duration timeForTheRest,
      OpenResponses responses,
      ResponsesConfig most) {
    this.timer = timer;
    this.timeForTheRest = timeForTheRest;
    graceMillis = Math.min(MAX_GRACE_MILLIS, timeForTheRest.toMillis() / 10);
    this.responses = responses;
    maxUntaken = 4 * most.max();
    maxUntakenEach = 2 * most.maxPerClient();
  }

  int untaken() {
    synchronized (untaken) {
      return untaken.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  private int untaken(SenderAddress client) {
    synchronized (untaken) {
      return untaken.getOrDefault(client, 0);
    }
  }

  /** Returns the reason of a rejection, or null. */
  private String whyNot(SocketAddress address) {
    int own = untaken(SenderAddress.of(address));
    if (own >= maxUntakenEach) {
      responses.countUntaken(address);
      return own
          + " responses to this client are unread, the maximum (twice"
          + " http.responses.max-per-client); read responses completely";
    }
    int all = untaken();
    if (all >= maxUntaken) {
      responses.countUntakenOfAll(address);
      return all + " responses are unread, the maximum (four times http.responses.max)";
    }
    return null;
  }

  /** Gives each call a context that can be cancelled from outside. */
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
    String refusal = whyNot(address);
    if (refusal != null) {
      call.close(Status.RESOURCE_EXHAUSTED.withDescription(refusal), new Metadata());
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
    private boolean isUntaken;

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
        isUntaken = true;
        synchronized (untaken) {
          untaken.merge(sender, 1, Integer::sum);
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
      if (isUntaken) {
        isUntaken = false;
        synchronized (untaken) {
          untaken.computeIfPresent(sender, (one, own) -> own == 1 ? null : own - 1);
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
