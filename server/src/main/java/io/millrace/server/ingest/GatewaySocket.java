package io.millrace.server.ingest;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.gateway.GatewayEncoding;
import io.millrace.wire.gateway.GatewayErrors.WrongRecord;
import io.millrace.wire.gateway.GatewayForm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 *     │ ◄─ {"frame":18,"error":…} ─── │   18 is wrong and nothing of it is kept
 *     │ ◄── {"ack":19,"accepted":2} ─ │   all up to 19 are settled: in the log, or refused
 * </pre>
 *
 * Frames are numbered by counting: the first one has the number that the client said, or the one
 * behind the last that is known of it. Many are in flight; one acknowledgement tells of all up to a
 * number. While the log has no room, or the client does not read what it is told, no frame is read:
 * TCP slows the client down. A client that ends the connection is answered when all its frames are
 * settled and it has been told.
 *
 * <p>Frames come one at a time, on any thread; the log's progress is told on others.
 */
final class GatewaySocket implements FrameHandler {
  /**
   * What the client asked for.
   *
   * @param client its name; null for none
   * @param first number of its first frame, or {@link #NEXT}
   * @param form of records that do not say one
   * @param isPartial whether the good records of a frame are kept where others are wrong
   * @param sender who it is
   * @param rateKey by whom its records are counted
   */
  record Terms(
      String client,
      long first,
      Optional<GatewayForm> form,
      boolean isPartial,
      IngestTokens.Sender sender,
      Object rateKey) {
    /** The number behind the last one that is known. */
    static final long NEXT = -1;
  }

  /** Messages beside acknowledgements that may wait for a client that does not read. */
  private static final int MOST_MESSAGES = 64;

  /** Status codes of RFC 6455, section 7.4.1. */
  private static final int TOO_LARGE = 1009;

  private static final int TRY_AGAIN = 1013;
  private static final int GOING_AWAY = 1001;
  private static final int POLICY = 1008;

  private final Ingest ingest;
  private final GatewaySockets sockets;
  private final Terms terms;
  private final ClientFrames client;
  private CoreSession session;

  // Of the thread that reads.
  private long next;
  private byte[] scratch = new byte[0];
  private byte[] fragments = new byte[0];
  private int fragmentsLength;
  private byte fragmentsOpCode = OpCode.UNDEFINED;

  private volatile long heardNanos = System.nanoTime();
  private volatile boolean isPaused;
  private volatile boolean isEnded; // no frame is taken any more; set under the client's lock
  private volatile long accepted;

  // What goes out; guarded by itself.
  private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
  private boolean isWriting;
  private boolean isStuck; // reading waits until messages are written
  private long told;
  private Callback closing; // answers the client's close; null if it has not ended
  private boolean isDraining; // the server ends the connection
  private boolean isClosed;

  GatewaySocket(Ingest ingest, GatewaySockets sockets, Terms terms) {
    this.ingest = ingest;
    this.sockets = sockets;
    this.terms = terms;
    client =
        terms.client() == null
            ? ingest.memory().nameless()
            : ingest.memory().client(terms.client());
  }

  @Override
  public void onOpen(CoreSession opened, Callback callback) {
    session = opened;
    GatewaySocket older = client.attach(this);
    if (older != null) {
      older.end(POLICY, "another connection of the same client has come");
    }
    synchronized (client) {
      next = terms.first() == Terms.NEXT ? client.last() + 1 : terms.first();
      client.receive(next - 1);
    }
    synchronized (messages) {
      told = next - 1;
    }
    sockets.add(this);
    ingest.counts().sockets.incrementAndGet();
    callback.succeeded();
    Map<String, Object> hello = new LinkedHashMap<>();
    if (terms.client() != null) {
      hello.put("client", terms.client());
    }
    hello.put("next", next);
    tell(hello);
    session.demand();
  }

  @Override
  public void onFrame(Frame frame, Callback callback) {
    heardNanos = System.nanoTime();
    switch (frame.getOpCode()) {
      case OpCode.TEXT, OpCode.BINARY, OpCode.CONTINUATION -> {
        boolean goesOn = onData(frame);
        callback.succeeded();
        if (goesOn) {
          readOn();
        }
      }
      case OpCode.PING -> {
        Frame pong = new Frame(OpCode.PONG, true, copy(frame.getPayload()));
        callback.succeeded();
        session.sendFrame(pong, Callback.NOOP, false);
        session.demand();
      }
      case OpCode.CLOSE -> {
        synchronized (messages) {
          closing = callback;
        }
        progress();
      }
      default -> {
        callback.succeeded();
        session.demand();
      }
    }
  }

  private static ByteBuffer copy(ByteBuffer payload) {
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining());
    copy.put(payload.duplicate()).flip();
    return copy;
  }

  /** Reads the next frame, now or when it may be read. */
  private void readOn() {
    if (!ingest.lanes().hasRoom()) {
      isPaused = true;
      ingest.lanes().awaitRoom(this::resume);
      return;
    }
    synchronized (messages) {
      if (messages.size() >= MOST_MESSAGES) {
        isPaused = true;
        isStuck = true;
        return;
      }
    }
    session.demand();
  }

  private void resume() {
    heardNanos = System.nanoTime();
    isPaused = false;
    readOn();
  }

  /** Takes a frame, or a part of one; false if nothing more is read, or only later. */
  private boolean onData(Frame frame) {
    ByteBuffer payload = frame.getPayload();
    if (frame.isFin() && fragmentsOpCode == OpCode.UNDEFINED) {
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
    return onFragment(frame, payload);
  }

  private boolean onFragment(Frame frame, ByteBuffer payload) {
    int more = payload.remaining();
    if (more > ingest.config().maxBodyBytes() - fragmentsLength) {
      end(TOO_LARGE, "longer than ingest.max-body");
      return false;
    }
    if (fragmentsOpCode == OpCode.UNDEFINED) {
      fragmentsOpCode = frame.getOpCode();
    }
    if (fragments.length < fragmentsLength + more) {
      int capacity = Math.max(fragmentsLength + more, fragments.length * 2);
      ingest.lanes().hold(capacity - fragments.length);
      fragments = Arrays.copyOf(fragments, capacity);
    }
    payload.duplicate().get(fragments, fragmentsLength, more);
    fragmentsLength += more;
    if (!frame.isFin()) {
      return true;
    }
    boolean goesOn = onMessage(fragmentsOpCode, fragments, 0, fragmentsLength);
    letFragmentsGo();
    return goesOn;
  }

  private void letFragmentsGo() {
    ingest.lanes().giveBack(fragments.length);
    fragments = new byte[0];
    fragmentsLength = 0;
    fragmentsOpCode = OpCode.UNDEFINED;
  }

  private boolean onMessage(byte opCode, byte[] bytes, int offset, int length) {
    long number = next++;
    ingest.counts().frames.increment();
    GatewayEncoding encoding = opCode == OpCode.TEXT ? GatewayEncoding.JSON : GatewayEncoding.AVRO;
    Decoding decoded = Decoding.ofThread();
    decoded.decode(RecordKind.of(encoding, terms.form()), bytes, offset, length);
    GatewayBlock block = decoded.block();
    long wrong = decoded.errors().count();
    int rows = block.rows();
    ingest.counts().recordsRead.add(rows + wrong);
    if (wrong > 0) {
      ingest.counts().recordsWrong.add(wrong);
      if (!terms.isPartial() || rows == 0) {
        return refuse(number, Answers.wrong(400, decoded.errors()));
      }
      Map<String, Object> message = Answers.partly(rows, decoded.errors());
      message.put("frame", number);
      tell(message);
    }
    int foreign = ingest.foreignRow(terms.sender(), block);
    if (foreign >= 0) {
      return refuse(
          number,
          Answers.wrong(
              403,
              1,
              List.of(new WrongRecord(foreign, "gateway_id", "is not the gateway of the token"))));
    }
    synchronized (client) {
      if (isEnded) {
        return false;
      }
      if (!ingest.lanes().add(decoded, null, client, number)) {
        end(TRY_AGAIN, "the log is out of reach: send what is not acknowledged again");
        return false;
      }
      accepted += rows;
      client.receive(number);
    }
    if (rows == 0 || client.settled() == number) {
      progress(); // nothing is waited for that would bring it
    }
    return isWithinRate(rows);
  }

  /** Whether to read on now; if not, it is read on when the sender may send again. */
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

  private boolean refuse(long number, Map<String, Object> error) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("frame", number);
    message.put("error", error);
    tell(message);
    client.receive(number);
    progress();
    return true;
  }

  private void tell(Map<String, Object> message) {
    synchronized (messages) {
      messages.add(ByteBuffer.wrap(Answers.bytes(message)));
    }
    write();
  }

  /** The log may have more of the client's frames than before. */
  void progress() {
    write();
  }

  /** The log did not answer for some frames: the client is to come again, when the log is back. */
  void logFailed() {
    end(TRY_AGAIN, "the log is out of reach: send what is not acknowledged again");
  }

  /** Writes the next message, if none is being written: first what waits, then how far we are. */
  private void write() {
    ByteBuffer message;
    Callback closed = null;
    boolean ends = false;
    synchronized (messages) {
      if (isWriting || isClosed) {
        return;
      }
      long received = client.received();
      long settled = client.settled();
      message = messages.poll();
      if (message == null && settled > told) {
        told = settled;
        message = ack(settled);
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

  private ByteBuffer ack(long settled) {
    String text = "{\"ack\":" + settled + ",\"accepted\":" + accepted + "}";
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
      synchronized (messages) {
        isWriting = false;
        resumes = isStuck && messages.size() < MOST_MESSAGES / 2;
        isStuck &= !resumes;
      }
      write();
      if (resumes) {
        resume();
      }
    }

    @Override
    public void failed(Throwable failure) {
      abort();
    }
  }

  /** Takes no frame any more, and says why. */
  private void end(int status, String reason) {
    synchronized (client) {
      isEnded = true;
    }
    synchronized (messages) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    session.close(status, reason, Callback.NOOP);
  }

  /** Takes no frame any more, and ends the connection when all are settled. */
  void drain() {
    synchronized (client) {
      isEnded = true;
    }
    synchronized (messages) {
      isDraining = true;
    }
    progress();
  }

  void abort() {
    session.abort();
  }

  /** Asks whether the client is there, and gives it up after long silence. */
  void tick(long idleNanos) {
    if (!isPaused && System.nanoTime() - heardNanos > idleNanos) {
      abort();
    } else {
      session.sendFrame(new Frame(OpCode.PING), Callback.NOOP, false);
    }
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
    synchronized (messages) {
      isClosed = true;
      messages.clear();
    }
    client.detach(this);
    sockets.remove(this);
    if (fragments.length > 0) {
      letFragmentsGo();
    }
    ingest.counts().sockets.decrementAndGet();
    callback.succeeded();
  }
}
