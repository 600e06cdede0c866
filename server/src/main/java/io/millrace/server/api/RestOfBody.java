package io.millrace.server.api;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;

/**
 * Reads what is left of the body of a refused request and forgets it, before the refusal is
 * answered. A client that is still sending when the connection ends may never see its answer. No
 * thread waits meanwhile.
 */
public final class RestOfBody implements Invocable.Task {
  /** Of a body that is too long; one that is longer still is cut off by the answer. */
  static final long MAX_BYTES = 64 << 20;

  /** Of a body that nobody looks at: what most clients send while they are being refused. */
  static final long SHORT_BYTES = 64 << 10;

  private final Request request;
  private final Runnable answer;
  private long left;

  private RestOfBody(Request request, long most, Runnable answer) {
    this.request = request;
    this.left = most;
    this.answer = answer;
  }

  /**
   * Answers when the client has sent all; at once if it waits for leave to begin (RFC 9110,
   * 10.1.1).
   *
   * @param answer called once, on any thread, also where the client has gone; does not block
   */
  public static void skip(Request request, Runnable answer) {
    skip(request, MAX_BYTES, answer);
  }

  /** As above, for whoever is not known: answers at latest when 64 KiB have come. */
  public static void skipShort(Request request, Runnable answer) {
    skip(request, SHORT_BYTES, answer);
  }

  private static void skip(Request request, long most, Runnable answer) {
    if (request.getHeaders().contains(HttpHeader.EXPECT)) {
      answer.run(); // to read would answer 100 Continue
    } else {
      new RestOfBody(request, most, answer).run();
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
    answer.run();
  }
}
