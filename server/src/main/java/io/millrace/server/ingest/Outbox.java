package io.millrace.server.ingest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;

/**
 * What a WebSocket tells its client, one frame at a time: first the messages that wait, in their
 * order, then up to which frame all are settled. When it has told all, it ends the connection if
 * one of both sides wants that.
 *
 * <p>Thread-safe: guarded by itself. Takes no other lock, and gives nothing to the session under
 * its own.
 */
final class Outbox {
  /** Messages beside acknowledgements that may wait for a client that does not read. */
  private static final int MOST_MESSAGES = 64;

  /** Status code of RFC 6455, section 7.4.1. */
  private static final int GOING_AWAY = 1001;

  private final CoreSession session;
  private final ClientFrames client;
  private final LongSupplier accepted;
  private final Runnable resume;
  private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
  private boolean isWriting = true; // nothing goes out before it is opened
  private boolean isStuck; // reading waits until messages are written
  private long told;
  private Callback closing; // answers the client's close; null if it has not ended
  private boolean isDraining; // the server ends the connection
  private boolean isClosed;

  /**
   * Nothing is told before {@link #open}.
   *
   * @param accepted records of the connection that were taken so far
   * @param resume reads on, after {@link #isFull} was true
   */
  Outbox(CoreSession session, ClientFrames client, LongSupplier accepted, Runnable resume) {
    this.session = session;
    this.client = client;
    this.accepted = accepted;
    this.resume = resume;
  }

  /**
   * Begins with a message.
   *
   * @param settled number of a frame up to which nothing is to be told
   */
  void open(long settled, Map<String, Object> hello) {
    synchronized (this) {
      told = settled;
      messages.addFirst(bytes(hello));
      isWriting = false;
    }
    write();
  }

  /** Adds a message, which goes before any acknowledgement that is not written yet. */
  synchronized void add(Map<String, Object> message) {
    messages.add(bytes(message));
  }

  private static ByteBuffer bytes(Map<String, Object> message) {
    return ByteBuffer.wrap(Answers.bytes(message));
  }

  /** Whether nothing more is to be read now; if so, it is read on when there is room again. */
  synchronized boolean isFull() {
    isStuck = messages.size() >= MOST_MESSAGES;
    return isStuck;
  }

  /** Answers the client's close when all is told. */
  void answerClose(Callback callback) {
    synchronized (this) {
      closing = callback;
    }
    write();
  }

  /** Ends the connection when all is told. */
  void drain() {
    synchronized (this) {
      isDraining = true;
    }
    write();
  }

  /** Tells nothing any more; false if that was so before. */
  synchronized boolean close() {
    boolean wasOpen = !isClosed;
    isClosed = true;
    messages.clear();
    return wasOpen;
  }

  /** Writes what there is to be told, if nothing is being written. */
  void write() {
    ByteBuffer message;
    Callback closed = null;
    boolean ends = false;
    synchronized (this) {
      if (isWriting || isClosed) {
        return;
      }
      long received = client.received();
      long settled = client.settled();
      message = messages.poll();
      if (message == null && settled > told) {
        told = settled;
        message = acknowledgement(settled);
      }
      if (message == null) {
        if (told < received || (closing == null && !isDraining)) {
          return;
        }
        isClosed = true;
        closed = closing;
        ends = isDraining;
      } else {
        isWriting = true;
      }
    }
    if (message != null) {
      session.sendFrame(new Frame(OpCode.TEXT, true, message), new Written(), false);
    } else if (closed != null) {
      closed.succeeded();
    } else if (ends) {
      session.close(GOING_AWAY, "the server is being stopped", Callback.NOOP);
    }
  }

  private ByteBuffer acknowledgement(long settled) {
    String text = "{\"ack\":" + settled + ",\"accepted\":" + accepted.getAsLong() + "}";
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** A message is with TCP, and the next one can be. */
  private final class Written implements Callback {
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void succeeded() {
      boolean resumes;
      synchronized (Outbox.this) {
        isWriting = false;
        resumes = isStuck && messages.size() < MOST_MESSAGES / 2;
        isStuck &= !resumes;
      }
      write();
      if (resumes) {
        resume.run();
      }
    }

    @Override
    public void failed(Throwable failure) {
      session.abort();
    }
  }
}
