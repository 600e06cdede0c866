package io.millrace.server.api;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * Discards the rest of a rejected request's body before the response: a client that is still
 * sending when the connection closes may never read the response. Blocks no thread.
 */
public final class RestOfBody implements Invocable.Task {
  /** Maximum to discard; the response aborts a longer body. */
  static final long MAX_BYTES = 64 << 20;

  /** Bytes that most clients send before they read a rejection. */
  static final long SHORT_BYTES = 64 << 10;

  private final Request request;
  private final Runnable then;
  private long left;

  private RestOfBody(Request request, long max, Runnable then) {
    this.request = request;
    this.left = max;
    this.then = then;
  }

  /**
   * Discards the body, then responds; immediately if the client expects 100 Continue (RFC 9110,
   * section 10.1.1).
   *
   * @param then called once, on any thread, even if the client has disconnected; must not block
   */
  public static void skip(Request request, Runnable then) {
    skip(request, MAX_BYTES, then);
  }

  /**
   * Discards as {@link #skip} does, but responds after at most 64 KiB, for unauthenticated clients.
   */
  public static void skipShort(Request request, Runnable then) {
    skip(request, SHORT_BYTES, then);
  }

  private static void skip(Request request, long max, Runnable then) {
    if (request.getHeaders().contains(HttpHeader.EXPECT)) {
      then.run(); // reading the body would send 100 Continue
    } else {
      new RestOfBody(request, max, then).run();
    }
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  @Override
  public void run() {
    boolean isOver = false;
    while (!isOver) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this);
        return;
      }
      left -= chunk.remaining();
      isOver = chunk.isLast() || Content.Chunk.isFailure(chunk) || left <= 0;
      chunk.release();
    }
    then.run();
  }
}
