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
import io.millrace.server.api.AnswersConfig;
import io.millrace.server.api.OpenAnswers;
import io.millrace.server.api.SenderAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the client of a call for those who answer it, as Flight does not. When a call is over for
 * us, the client has a while to take what the transport still holds of it; then it is broken off.
 * Whoever lets too many wait is not answered meanwhile.
 */
final class FlightCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
  private static final Context.Key<CancellableContext> CALL = Context.key("call");

  /** In which a client that takes its answers has taken the rest. */
  private static final long MOST_GRACE_MILLIS = 1_000;

  private final ScheduledExecutorService timer;
  private final Duration timeForTheRest;
  private final long graceMillis;
  private final OpenAnswers answers;
  private final int maxUntaken;
  private final int maxUntakenEach;

  /** Guarded by itself. */
  private final Map<SenderAddress, Integer> untaken = new HashMap<>();

  /**
   * @param answers where calls that are refused are counted
   * @param most bounds of what may be asked at once, of which answers that are not taken may be
   *     twice as many of a client, and four times as many in all
   */
  FlightCalls(
      ScheduledExecutorService timer,
      Duration timeForTheRest,
      OpenAnswers answers,
      AnswersConfig most) {
    this.timer = timer;
    this.timeForTheRest = timeForTheRest;
    graceMillis = Math.min(MOST_GRACE_MILLIS, timeForTheRest.toMillis() / 10);
    this.answers = answers;
    maxUntaken = 4 * most.max();
    maxUntakenEach = 2 * most.maxEach();
  }

  /** Calls that have been over for us for a while, of which the client has not taken all. */
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

  /** Counts a call of a client whose answers fill the transport; why, or null if they do not. */
  private String whyNot(SocketAddress address) {
    int own = untaken(SenderAddress.of(address));
    if (own >= maxUntakenEach) {
      answers.countUntaken(address);
      return own
          + " answers to this client are not taken, more are not given (twice"
          + " http.answers.max-each): read answers to their end";
    }
    int all = untaken();
    if (all >= maxUntaken) {
      answers.countUntakenOfAll(address);
      return all + " answers are not taken, more are not given (four times http.answers.max)";
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

  /** From when a call is over for us until it is over for its client. */
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

    /** It is more than an answer on its way. */
    private synchronized void remain() {
      if (!isOver) {
        isUntaken = true;
        synchronized (untaken) {
          untaken.merge(sender, 1, Integer::sum);
        }
        long millis = timeForTheRest.toMillis() - graceMillis;
        end = timer.schedule(client::breakOff, millis, TimeUnit.MILLISECONDS);
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
