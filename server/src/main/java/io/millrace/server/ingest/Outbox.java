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
 * What a WebSocket tells its client, one frame at a time: first whether somebody is there, then the
 * messages that wait, in their order, then up to which frame all are settled. Messages are memory
 * of the sender's; of pings that were not answered the last one is (RFC 6455, section 5.5.3). When
 * it has told all, it ends the connection if one of both sides wants that.
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
  private final Room room;
  private final Object sender;
  private final ClientFrames client;
  private final LongSupplier accepted;
  private final Runnable resume;
  private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
  private boolean isWriting = true; // nothing goes out before it is opened
  private long writingSince = System.nanoTime();
  private ByteBuffer pong; // null for none
  private boolean isPinging;
  private int heldBytes;
  private int writingBytes; // of the messages that are held
  private boolean isStuck; // reading waits until messages are written
  private long told;
  private Callback closing; // answers the client's close; null if it has not ended
  private boolean isDraining; // the server ends the connection
  private boolean isClosed;

  /**
   * Nothing is told before {@link #open}.
   *
   * @param sender whose memory its messages are
   * @param accepted records of the connection that were taken so far
   * @param resume reads on, after {@link #isFull} was true
   */
  Outbox(
      CoreSession session,
      Room room,
      Object sender,
      ClientFrames client,
      LongSupplier accepted,
      Runnable resume) {
    this.session = session;
    this.room = room;
    this.sender = sender;
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
      messages.addFirst(ByteBuffer.wrap(Answers.bytes(hello)));
      isWriting = false;
    }
    write();
  }

  /**
   * Adds a message, which goes before any acknowledgement that is not written yet; false if the
   * sender holds too much.
   */
  boolean add(Map<String, Object> message) {
    byte[] bytes = Answers.bytes(message);
    if (!room.hold(sender, bytes.length)) {
      return false;
    }
    synchronized (this) {
      if (!isClosed) {
        heldBytes += bytes.length;
        messages.add(ByteBuffer.wrap(bytes));
        return true;
      }
    }
    room.giveBack(sender, bytes.length);
    return true;
  }

  /** Answers a ping. */
  void pong(ByteBuffer payload) {
    synchronized (this) {
      pong = payload;
    }
    write();
  }

  /** Asks whether the client is there. */
  void ping() {
    synchronized (this) {
      isPinging = true;
    }
    write();
  }

  /** Whether the client has not read one frame for that long. */
  synchronized boolean isUnread(long nanos) {
    return isWriting && System.nanoTime() - writingSince > nanos;
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
  boolean close() {
    boolean wasOpen;
    int held;
    synchronized (this) {
      wasOpen = !isClosed;
      isClosed = true;
      messages.clear();
      held = heldBytes;
      heldBytes = 0;
      writingBytes = 0;
    }
    room.giveBack(sender, held);
    return wasOpen;
  }

  /** Writes what there is to be told, if nothing is being written. */
  void write() {
    Frame frame;
    Callback closed = null;
    boolean ends = false;
    synchronized (this) {
      if (isWriting || isClosed) {
        return;
      }
      long received = client.received();
      long settled = client.settled();
      frame = next(settled);
      if (frame == null) {
        if (told < received || (closing == null && !isDraining)) {
          return;
        }
        isClosed = true;
        closed = closing;
        ends = isDraining;
      } else {
        isWriting = true;
        writingSince = System.nanoTime();
      }
    }
    if (frame != null) {
      session.sendFrame(frame, new WriteCallback(), false);
    } else if (closed != null) {
      closed.succeeded();
    } else if (ends) {
      session.close(GOING_AWAY, "the server is being stopped", Callback.NOOP);
    }
  }

  /** What goes out now; null for nothing. */
  private Frame next(long settled) {
    if (pong != null) {
      Frame answer = new Frame(OpCode.PONG, true, pong);
      pong = null;
      return answer;
    }
    if (isPinging) {
      isPinging = false;
      return new Frame(OpCode.PING);
    }
    ByteBuffer message = messages.poll();
    if (message != null) {
      writingBytes = Math.min(heldBytes, message.remaining()); // the first one is not held
    } else if (settled > told) {
      told = settled;
      message = acknowledgement(settled);
    }
    return message == null ? null : new Frame(OpCode.TEXT, true, message);
  }

  private ByteBuffer acknowledgement(long settled) {
    String text = "{\"ack\":" + settled + ",\"accepted\":" + accepted.getAsLong() + "}";
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** A message is with TCP, and the next one can be. */
  private final class WriteCallback implements Callback {
    @Override
    public InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }

    @Override
    public void succeeded() {
      boolean resumes;
      int written;
      synchronized (Outbox.this) {
        isWriting = false;
        written = writingBytes;
        heldBytes -= written;
        writingBytes = 0;
        resumes = isStuck && messages.size() < MOST_MESSAGES / 2;
        isStuck &= !resumes;
      }
      room.giveBack(sender, written);
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
