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
 * Writes the outgoing frames of a WebSocket, one at a time: first a pong or ping, then queued
 * messages in order, then the acknowledgement. Messages count against the sender's memory share. If
 * several pings arrive, only the last is answered (RFC 6455, section 5.5.3).
 *
 * <p>Thread-safe: guarded by itself. Takes no other lock, and calls the session without holding its
 * own.
 */
final class Outbox {
  /** Number of queued messages, without acknowledgements, at which reading pauses. */
  private static final int MAX_MESSAGES = 64;

  private static final int GOING_AWAY = 1001;

  private final CoreSession session;
  private final IngestMemory room;
  private final Object sender;
  private final ClientFrames client;
  private final LongSupplier accepted;
  private final Runnable resume;
  private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
  private boolean isWriting = true; // also true until opened
  private long writingSince = System.nanoTime();
  private ByteBuffer pong; // null if none is due
  private boolean isPinging;
  private int heldBytes;
  private int writingBytes; // bytes that count against the sender's memory share
  private boolean isStuck; // reading is paused until messages are written
  private long acknowledged;
  private Callback closing; // completes the close by the client; null before it
  private boolean isDraining; // whether the server closes the connection
  private boolean isClosed;

  /**
   * @param sender key of the memory share that messages count against
   * @param accepted supplies the number of accepted records of the connection
   * @param resume called to continue reading after {@link #isFull} was true
   */
  Outbox(
      CoreSession session,
      IngestMemory room,
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

  void open(long settled, Map<String, Object> hello) {
    synchronized (this) {
      acknowledged = settled;
      messages.addFirst(ByteBuffer.wrap(IngestResponses.bytes(hello)));
      isWriting = false;
    }
    write();
  }

  /**
   * Queues a message before any unwritten acknowledgement; false if the sender exceeds its memory
   * share.
   */
  boolean add(Map<String, Object> message) {
    byte[] bytes = IngestResponses.bytes(message);
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

  void pong(ByteBuffer payload) {
    synchronized (this) {
      pong = payload;
    }
    write();
  }

  void ping() {
    synchronized (this) {
      isPinging = true;
    }
    write();
  }

  synchronized boolean isUnread(long nanos) {
    return isWriting && System.nanoTime() - writingSince > nanos;
  }

  synchronized boolean isFull() {
    isStuck = messages.size() >= MAX_MESSAGES;
    return isStuck;
  }

  void answerClose(Callback callback) {
    synchronized (this) {
      closing = callback;
    }
    write();
  }

  void drain() {
    synchronized (this) {
      isDraining = true;
    }
    write();
  }

  /** Closes the outbox; false if it was closed already. */
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
        if (acknowledged < received || (closing == null && !isDraining)) {
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
      session.close(GOING_AWAY, "server shutting down", Callback.NOOP);
    }
  }

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
      writingBytes = Math.min(heldBytes, message.remaining()); // the first message does not count
    } else if (settled > acknowledged) {
      acknowledged = settled;
      message = acknowledgement(settled);
    }
    return message == null ? null : new Frame(OpCode.TEXT, true, message);
  }

  private ByteBuffer acknowledgement(long settled) {
    String text = "{\"ack\":" + settled + ",\"accepted\":" + accepted.getAsLong() + "}";
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

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
        resumes = isStuck && messages.size() < MAX_MESSAGES / 2;
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
