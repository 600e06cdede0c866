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
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps the client of a call for those who answer it, as Flight does not. When a call is over for
 * us, the client has a while to take what the transport still holds of it; then it is broken off.
 */
final class FlightCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
  private static final Context.Key<CancellableContext> CALL = Context.key("call");

  private final ScheduledExecutorService timer;
  private final Duration timeForTheRest;
  private final AtomicInteger untaken = new AtomicInteger();

  FlightCalls(ScheduledExecutorService timer, Duration timeForTheRest) {
    this.timer = timer;
    this.timeForTheRest = timeForTheRest;
  }

  /** Calls that are over for us, of which the client has not taken all. */
  int untaken() {
    return untaken.get();
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
    FlightClient client =
        new FlightClient(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), CALL.get());
    Rest rest = new Rest(client);
    return rest.until(
        Contexts.interceptCall(client.in(Context.current()), rest.from(call), headers, next));
  }

  /** From when a call is over for us until it is over for its client. */
  private final class Rest {
    private final FlightClient client;
    private Future<?> end;
    private boolean isOver;

    Rest(FlightClient client) {
      this.client = client;
    }

    private synchronized void begin() {
      if (!isOver) {
        untaken.incrementAndGet();
        end = timer.schedule(client::breakOff, timeForTheRest.toMillis(), TimeUnit.MILLISECONDS);
      }
    }

    private synchronized void end() {
      isOver = true;
      if (end != null) {
        untaken.decrementAndGet();
        end.cancel(false);
        end = null;
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
