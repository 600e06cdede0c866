package io.millrace.store.remote;

import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableSchema;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Server side of a connection: one writer of one table, on its own thread. */
final class WriterConnection {
  private static final Logger LOG = LoggerFactory.getLogger(StoreServer.class);
  private static final int READ_BYTES = 256 << 10;

  /** Read timeout until the peer has opened a table. */
  private static final int OPEN_MILLIS = 10_000;

  /** Wait for the peer to close, so that it reads the last message instead of a reset. */
  private static final int LINGER_MILLIS = 2_000;

  private static final int KEEPALIVE_SECONDS = 30;
  private static final int KEEPALIVE_STEP_SECONDS = 10;

  private final StoreServer server;
  private final Store store;
  private final Socket socket;
  private final Thread thread;
  private final BlockBuffer out = new BlockBuffer(256);
  private WriterSession<?, ?> session;

  /** Parts of an incomplete message; null if there is none. */
  private BlockBuffer parts;

  private volatile String table = ""; // the open table
  private volatile boolean writesFiles;

  /** Guards responses and beats, which two threads send. */
  private final ReentrantLock sending = new ReentrantLock();

  WriterConnection(StoreServer server, Store store, Socket socket) {
    this.server = server;
    this.store = store;
    this.socket = socket;
    thread = new Thread(this::run, "store-writer-" + socket.getPort());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  Socket socket() {
    return socket;
  }

  String table() {
    return table;
  }

  private void run() {
    try (socket) {
      try {
        serve();
      } finally {
        if (session != null) {
          session.close();
        }
        server.ended(this);
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("store: the connection from {} ended: {}", socket, e.toString());
    }
  }

  private void serve() throws IOException {
    try {
      prepare();
      handshake(new MessageReader(socket.getInputStream()));
      MessageReader in =
          new MessageReader(new BufferedInputStream(socket.getInputStream(), READ_BYTES));
      open(in);
      for (int type; (type = in.next(StoreProtocol.MAX_BYTES)) >= 0; ) {
        work(type, in);
      }
    } catch (FencedException e) {
      server.fenced(socket, e.getMessage());
      fail(StoreProtocol.Failure.FENCED, e);
    } catch (WrongSchemaException e) {
      fail(StoreProtocol.Failure.WRONG_SCHEMA, e);
    } catch (StoreException e) {
      fail(StoreProtocol.Failure.STORE, e);
    } catch (ProtocolException | RuntimeException e) {
      server.rejected(socket, e instanceof ProtocolException ? e.getMessage() : e.toString());
      fail(StoreProtocol.Failure.PROTOCOL, e);
    }
  }

  private void prepare() throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(OPEN_MILLIS);
    socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
      socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_SECONDS);
      socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_STEP_SECONDS);
    }
  }

  private void handshake(MessageReader in) throws IOException {
    int type = in.next(StoreProtocol.MAX_BYTES_OF_HELLO);
    if (type != StoreProtocol.HELLO) {
      throw new ProtocolException("message type " + type + ", expected " + StoreProtocol.HELLO);
    }
    BlockInput hello = in.body();
    int version = StoreProtocol.takeHello(hello);
    if (version != StoreProtocol.VERSION) {
      throw new ProtocolException(
          "protocol version %s of the writer differs from the store's %s: run both from the same release"
              .formatted(version, StoreProtocol.VERSION));
    }
    if (!server.secret().matches(StoreProtocol.takeProof(hello))) {
      throw new ProtocolException(
          "wrong store secret: copy the file %s from the store's data directory, and submit the job with it"
              .formatted(StoreSecret.FILE_NAME));
    }
    server.authenticated(this);
    done(StoreProtocol.VERSION);
  }

  private void open(MessageReader in) throws IOException {
    int type = in.next(StoreProtocol.MAX_BYTES_BEFORE_OPEN);
    switch (type) {
      case StoreProtocol.OPEN -> openFlows(in.body());
      case StoreProtocol.OPEN_RESULTS -> openResults(in.body());
      default -> throw new ProtocolException("message " + type + " before a table is open");
    }
    socket.setSoTimeout(0); // a writer may be idle
  }

  private void openFlows(BlockInput body) throws IOException {
    String name = StoreProtocol.takeText(body);
    FlowSchema schema = StoreProtocol.takeSchema(body);
    FlowTable flows = store.table(name, schema);
    session = WriterSession.of(flows);
    table = name;
    send(flows.committed());
  }

  private void send(Frontier frontier) throws IOException {
    sending.lock();
    try {
      out.clear();
      StoreProtocol.putFrontier(frontier, out);
      send(StoreProtocol.FRONTIER);
    } finally {
      sending.unlock();
    }
  }

  private void openResults(BlockInput body) throws IOException {
    String name = StoreProtocol.takeText(body);
    TableSchema schema = StoreProtocol.takeResultSchema(body);
    session = WriterSession.of(store.results(name, schema, StoreProtocol.takeKey(body)));
    table = name;
    done(0);
  }

  private void work(int type, MessageReader in) throws IOException {
    if (type == StoreProtocol.PART || parts != null) {
      addPart(in);
    }
    if (type == StoreProtocol.PART) {
      return;
    }
    BlockInput body = parts == null ? in.body() : new BlockInput(parts.bytes(), 0, parts.length());
    int length = body.remaining();
    parts = null;
    if (type == StoreProtocol.DESCRIBE) {
      sendDescriptor(session.descriptor());
      return;
    }
    Optional<Frontier> frontier = session.frontier(type, body);
    if (frontier.isPresent()) {
      send(frontier.get());
      return;
    }
    if (type == StoreProtocol.STORED_IDS) {
      sendIds(session.storedIds(body));
      return;
    }
    OptionalLong response = session.work(type, body);
    writesFiles = session.writesFiles();
    if (response.isPresent()) {
      done(response.getAsLong());
    }
    if (type == StoreProtocol.APPEND) {
      server.countBlock(length);
    }
  }

  private void sendDescriptor(String descriptor) throws IOException {
    byte[] text = descriptor.getBytes(StandardCharsets.UTF_8);
    sending.lock();
    try {
      out.clear();
      out.putByte(server.isTailWanted() ? 1 : 0);
      out.put(text, 0, text.length);
      send(StoreProtocol.BYTES);
    } finally {
      sending.unlock();
    }
  }

  private void sendIds(long[] ids) throws IOException {
    sending.lock();
    try {
      out.clear();
      for (long id : ids) {
        out.putLong(id);
      }
      send(StoreProtocol.BYTES);
    } finally {
      sending.unlock();
    }
  }

  /** Whether the peer writes files itself. */
  boolean writesFiles() {
    return writesFiles;
  }

  private void addPart(MessageReader in) throws ProtocolException {
    int max = StoreProtocol.MAX_BYTES_IN_PARTS;
    if (parts == null) {
      parts = new BlockBuffer(2 * in.length());
    }
    if (in.length() > max - parts.length()) {
      throw new ProtocolException("message in parts exceeds " + max + " bytes");
    }
    parts.put(in.bytes(), 0, in.length());
  }

  private void done(long value) throws IOException {
    sending.lock();
    try {
      out.clear();
      out.putLong(value);
      send(StoreProtocol.DONE);
    } finally {
      sending.unlock();
    }
  }

  /**
   * Sends a beat, unless a response is being sent, which has the same effect: a peer that does not
   * read its responses must not delay the beats of others. The connection's own thread detects a
   * dead peer.
   */
  void beat() {
    if (!sending.tryLock()) {
      return;
    }
    try {
      out.clear();
      send(StoreProtocol.BEAT);
    } catch (IOException e) {
      LOG.debug("store: cannot send a beat to {}: {}", socket, e.toString());
    } finally {
      sending.unlock();
    }
  }

  private void fail(StoreProtocol.Failure failure, Exception cause) throws IOException {
    sending.lock();
    try {
      out.clear();
      out.putByte(failure.ordinal());
      StoreProtocol.putText(
          cause.getMessage() == null ? cause.toString() : cause.getMessage(), out);
      send(StoreProtocol.FAILED);
    } finally {
      sending.unlock();
    }
    socket.shutdownOutput();
    socket.setSoTimeout(LINGER_MILLIS);
    long until = System.nanoTime() + Duration.ofMillis(LINGER_MILLIS).toNanos();
    InputStream rest = socket.getInputStream();
    byte[] unread = new byte[READ_BYTES];
    while (rest.read(unread) >= 0 && System.nanoTime() < until) {
      // discard further input of the peer
    }
  }

  /** Guarded by the lock for sending. */
  private void send(int type) throws IOException {
    BlockBuffer message = new BlockBuffer(StoreProtocol.HEADER_LENGTH + out.length());
    message.putInt(out.length());
    message.putByte(type);
    message.put(out.bytes(), 0, out.length());
    socket.getOutputStream().write(message.bytes(), 0, message.length());
  }

  void close(long timeoutMillis) {
    try {
      socket.close();
      thread.interrupt(); // it may be blocked in the store
      thread.join(timeoutMillis);
    } catch (IOException e) {
      LOG.debug("store: cannot close {}: {}", socket, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
