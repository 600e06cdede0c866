package io.millrace.server.ingest;

import io.millrace.server.api.Pace;
import io.millrace.wire.record.RecordEncoding;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;

/**
 * A WebSocket with records: text frames are JSON, binary ones Avro.
 *
 * <pre>
 *   client                          server
 *     │ GET …/ws?client=C&amp;frame=17    │
 *     │ ◄───────────── {"next":17} ── │
 *     │ ── 17 ── 18 ── 19 ──────────► │
 *     │ ◄─ {"frame":18,"error":…} ─── │   18 is invalid, and none of its records is accepted
 *     │ ◄── {"ack":19,"accepted":2} ─ │   all up to 19 are settled: in the log, or rejected
 * </pre>
 *
 * The number of the first frame is given by the client, or is the successor of its last known
 * frame; further frames have consecutive numbers. Many frames may be in flight; an acknowledgement
 * covers all frames up to its number. Under back-pressure, or while the client does not read, the
 * server reads no frames, and TCP throttles the client. A connection is closed if the client does
 * not read for the idle timeout, or sends a message too slowly. The client's close frame is
 * answered when all its frames are settled and acknowledged.
 *
 * <p>Frames arrive one at a time, on any thread; completions of the log arrive on other threads.
 */
final class RecordSocket implements FrameHandler {
  /**
   * Parameters of the connection.
   *
   * @param client name of the client; null for none
   * @param owner owner of the name, see {@link Ingest#ownerOf}
   * @param first number of the first frame, or {@link #NEXT}
   * @param isPartial whether valid records of a frame with invalid ones are accepted
   * @param rateKey key of rate and memory limits
   */
  record Terms(
      String client,
      String owner,
      long first,
      BodyReader reader,
      boolean isPartial,
      IngestTokens.Sender sender,
      Object rateKey) {
    /** Numbering continues after the last known frame. */
    static final long NEXT = -1;

    /** Maximum first number; numbers that follow it are exact in JavaScript. */
    static final long MAX_FIRST = 1L << 53;
  }

  private static final int POLICY = 1008;

  private static final int TOO_LARGE = 1009;
  private static final int TRY_AGAIN = 1013;

  private final Ingest ingest;
  private final RecordSockets sockets;
  private final Terms terms;
  private final ClientFrames client;

  // set on open, before other threads access this object
  private CoreSession session;
  private Outbox outbox;

  // used only by the reading thread
  private final Fragments fragments;

  /** Rate of incomplete messages; also read by the timer. */
  private final Pace pace;

  private long next;
  private byte[] scratch = new byte[0];

  private volatile long lastContactNanos = System.nanoTime();
  private volatile boolean isPaused;

  // Set under the client's lock, like the last received frame, so that no frame of a closed
  // connection is taken.
  private volatile boolean isEnded;
  private volatile long accepted;

  RecordSocket(Ingest ingest, RecordSockets sockets, Terms terms) {
    this.ingest = ingest;
    this.sockets = sockets;
    this.terms = terms;
    client =
        terms.client() == null
            ? ingest.clients().nameless()
            : ingest.clients().client(terms.owner(), terms.client());
    fragments =
        new Fragments(ingest.lanes().room(), terms.rateKey(), ingest.config().maxBodyBytes());
    pace = new Pace(ingest.pace());
  }

  @Override
  public void onOpen(CoreSession opened, Callback callback) {
    session = opened;
    outbox =
        new Outbox(
            opened, ingest.lanes().room(), terms.rateKey(), client, () -> accepted, this::resume);
    RecordSocket older = client.attach(this);
    if (older != null) {
      older.end(POLICY, "replaced by another connection of this client");
    }
    long last = client.last();
    synchronized (client) {
      next = terms.first() == Terms.NEXT ? last + 1 : terms.first();
      client.receive(next - 1);
    }
    sockets.add(this);
    ingest.counts().sockets.incrementAndGet();
    callback.succeeded();
    Map<String, Object> hello = new LinkedHashMap<>();
    if (terms.client() != null) {
      hello.put("client", terms.client());
    }
    hello.put("next", next);
    if (last > 0) {
      hello.put("last", last); // frames up to it are in the log
    }
    outbox.open(next - 1, hello);
    demand();
  }

  @Override
  public void onFrame(Frame frame, Callback callback) {
    lastContactNanos = System.nanoTime();
    if (fragments.isOpen()) {
      pace.end(frame.getPayloadLength());
    }
    switch (frame.getOpCode()) {
      case OpCode.TEXT, OpCode.BINARY, OpCode.CONTINUATION -> {
        boolean goesOn = onData(frame);
        callback.succeeded();
        if (goesOn) {
          readOn();
        }
      }
      case OpCode.PING -> {
        ByteBuffer payload = copy(frame.getPayload());
        callback.succeeded();
        outbox.pong(payload);
        demand();
      }
      case OpCode.CLOSE -> outbox.answerClose(callback);
      default -> {
        callback.succeeded();
        demand();
      }
    }
  }

  private void demand() {
    if (fragments.isOpen()) {
      pace.begin();
    }
    session.demand();
  }

  private static ByteBuffer copy(ByteBuffer payload) {
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining());
    copy.put(payload.duplicate()).flip();
    return copy;
  }

  private void readOn() {
    isPaused = true; // set first, because resume may run immediately
    if (!ingest.lanes().hasRoom()) {
      ingest.lanes().awaitRoom(this::resume);
    } else if (!outbox.isFull()) {
      isPaused = false;
      demand();
    }
  }

  private void resume() {
    lastContactNanos = System.nanoTime();
    isPaused = false;
    readOn();
  }

  private boolean onData(Frame frame) {
    ByteBuffer payload = frame.getPayload();
    if (frame.isFin() && !fragments.isOpen()) {
      int length = payload.remaining();
      if (payload.hasArray()) {
        int offset = payload.arrayOffset() + payload.position();
        return onMessage(frame.getOpCode(), payload.array(), offset, length);
      }
      if (scratch.length < length) {
        scratch = new byte[Math.max(length, 512)];
      }
      payload.duplicate().get(scratch, 0, length);
      return onMessage(frame.getOpCode(), scratch, 0, length);
    }
    switch (fragments.add(frame)) {
      case KEPT -> {}
      case TOO_LONG -> {
        ingest.counts().reject(IngestRejection.SIZE, terms.rateKey());
        end(TOO_LARGE, "message exceeds ingest.max-body");
        return false;
      }
      case NO_ROOM -> {
        ingest.counts().reject(IngestRejection.MEMORY, terms.rateKey());
        end(TRY_AGAIN, IngestResponses.NO_SHARE);
        return false;
      }
    }
    if (!frame.isFin()) {
      return true;
    }
    boolean goesOn = onMessage(fragments.opCode(), fragments.bytes(), 0, fragments.length());
    fragments.clear();
    return goesOn;
  }

  private boolean onMessage(byte opCode, byte[] bytes, int offset, int length) {
    long number = next++;
    ingest.counts().frames.increment();
    RecordEncoding encoding = opCode == OpCode.TEXT ? RecordEncoding.JSON : RecordEncoding.AVRO;
    DecodedRecords decoded =
        terms.reader().decode(encoding, bytes, offset, length, ingest.config().maxBodyBytes());
    boolean goesOn = take(number, decoded);
    decoded.release();
    return goesOn;
  }

  private boolean take(long number, DecodedRecords decoded) {
    long invalid = decoded.errors().count();
    int rows = decoded.rows();
    ingest.counts().recordsRead.add(rows + invalid);
    if (invalid > 0) {
      ingest.counts().recordsInvalid.add(invalid);
      if (decoded.errors().isOversized() || !ingest.lanes().fits(decoded)) {
        return rejectTooLarge(number, decoded);
      }
      if (!terms.isPartial() || rows == 0) {
        return reject(number, IngestResponses.invalid(400, decoded.errors()));
      }
      Map<String, Object> message = IngestResponses.partly(rows, decoded.errors());
      message.put("frame", number);
      if (!outbox.add(message)) {
        return endUnread();
      }
      outbox.write();
    } else if (!ingest.lanes().fits(decoded)) {
      return rejectTooLarge(number, decoded);
    }
    Map<String, Object> foreign = ingest.foreign(terms.sender(), decoded);
    if (foreign != null) {
      return reject(number, foreign);
    }
    synchronized (client) {
      if (isEnded) {
        return false;
      }
      if (!ingest.lanes().add(decoded, null, client, number)) {
        logFailed();
        return false;
      }
      accepted += rows;
      client.receive(number);
    }
    if (rows == 0 || client.settled() == number) {
      progress(); // no completion of the log will trigger it
    }
    return isWithinRate(rows);
  }

  private boolean isWithinRate(int rows) {
    if (ingest.rate().isOff()) {
      return true;
    }
    long wait = ingest.rate().take(terms.rateKey(), rows);
    if (wait == 0) {
      return true;
    }
    isPaused = true;
    sockets.after(wait, this::resume);
    return false;
  }

  private boolean rejectTooLarge(long number, DecodedRecords decoded) {
    ingest.counts().reject(IngestRejection.SIZE, terms.rateKey());
    return reject(number, IngestResponses.tooLarge(decoded.errors(), ingest.config()));
  }

  private boolean endUnread() {
    ingest.counts().reject(IngestRejection.UNREAD, terms.rateKey());
    end(POLICY, "client is not reading acknowledgements");
    return false;
  }

  private boolean reject(long number, Map<String, Object> error) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("frame", number);
    message.put("error", error);
    synchronized (client) {
      if (isEnded) {
        return false;
      }
      if (outbox.add(message)) { // before receive(): after that the frame may be acknowledged
        client.receive(number);
      } else {
        return endUnread();
      }
    }
    progress();
    return true;
  }

  void progress() {
    outbox.write();
  }

  void logFailed() {
    end(TRY_AGAIN, "log unavailable; reconnect and resend unacknowledged frames");
  }

  private void end(int status, String reason) {
    synchronized (client) {
      isEnded = true;
    }
    if (outbox.close()) {
      session.close(status, reason, Callback.NOOP);
    }
  }

  void drain() {
    synchronized (client) {
      isEnded = true;
    }
    outbox.drain();
  }

  void abort() {
    session.abort();
  }

  void tick(long idleNanos) {
    boolean isHeldBack = isPaused && !isEnded; // the server has paused reading
    if (outbox.isUnread(idleNanos)) {
      ingest.counts().reject(IngestRejection.UNREAD, terms.rateKey());
      abort();
    } else if (!isHeldBack && System.nanoTime() - lastContactNanos > idleNanos) {
      abort();
    } else if (pace.isTooSlow()) {
      giveUp();
    } else {
      outbox.ping();
    }
  }

  private void giveUp() {
    if (isEnded) {
      abort();
      return;
    }
    ingest.counts().reject(IngestRejection.SLOW, terms.rateKey());
    Pace.Terms min = ingest.pace();
    end(
        POLICY,
        String.format(
            Locale.ROOT,
            "message slower than %,d bytes a second over %,d ms",
            min.minRateBytes(),
            min.timeout().toMillis()));
  }

  @Override
  public void onError(Throwable cause, Callback callback) {
    callback.succeeded();
  }

  @Override
  public void onClosed(CloseStatus status, Callback callback) {
    synchronized (client) {
      isEnded = true;
    }
    var unused = outbox.close();
    client.detach(this);
    sockets.remove(this);
    fragments.clear();
    ingest.counts().sockets.decrementAndGet();
    callback.succeeded();
  }
}
