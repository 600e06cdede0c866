package io.millrace.store.remote;

import io.millrace.store.FencedException;
import io.millrace.store.StoreException;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Client side of a connection. Threads send requests and wait for responses. Another thread reads,
 * and so detects a failed or silent store even while a send is blocked; it then closes the channel,
 * which ends the send. Interrupting a thread that sends or waits closes the connection.
 * Thread-safe: one request at a time waits for its response, and messages without a response may be
 * sent meanwhile.
 */
final class StoreConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteSink.class);
  private static final int CONNECT_MILLIS = 2_000;
  private static final long RETRY_MILLIS = 200;
  private static final long FAILURE_WAIT_MILLIS = 1_000;
  private static final byte[] NONE = {};

  /** A response; missing parts are 0 or empty. */
  static final class Response {
    private final long number;
    private final Frontier frontier;
    private final byte[] bytes;

    Response(long number, Frontier frontier, byte[] bytes) {
      this.number = number;
      this.frontier = frontier;
      this.bytes = bytes;
    }

    long number() {
      return number;
    }

    Frontier frontier() {
      return frontier;
    }

    byte[] bytes() {
      return bytes;
    }
  }

  /** Held for a whole message, which may be in parts. */
  private final ReentrantLock sending = new ReentrantLock();

  /** Held from a request to its response. */
  private final ReentrantLock requesting = new ReentrantLock();

  private final String store;
  private final SocketChannel channel;
  private final Thread reader;
  private final ByteBuffer header =
      ByteBuffer.allocate(StoreProtocol.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();

  // Guarded by the lock.
  private Response response;
  private RuntimeException failure;

  private final int silenceMillis;

  private StoreConnection(String store, SocketChannel channel, int silenceMillis) {
    this.store = store;
    this.channel = channel;
    this.silenceMillis = silenceMillis;
    reader = new Thread(this::read, "store-responses");
    reader.setDaemon(true);
  }

  /** Connects; retries until the timeout. */
  static StoreConnection open(String host, int port, StoreSecret secret, Duration timeout) {
    return open(host, port, secret, timeout, StoreProtocol.SILENCE_MILLIS);
  }

  /** {@code silenceMillis}: time without a message after which the store counts as lost. */
  static StoreConnection open(
      String host, int port, StoreSecret secret, Duration timeout, int silenceMillis) {
    String store = host + ":" + port;
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean isLogged = false;
    while (true) {
      try {
        return connect(store, host, port, secret, silenceMillis);
      } catch (ClosedByInterruptException e) {
        throw interrupted(store, e);
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new StoreException(
              "store at %s not reached within %d s: %s; start it, or check the address"
                  .formatted(store, timeout.toSeconds(), e.getMessage()),
              e);
        }
        if (!isLogged) {
          isLogged = true;
          LOG.warn(
              "store at {} does not respond ({}); retrying for {} s",
              store,
              e.getMessage(),
              timeout.toSeconds());
        }
        pause(store);
      }
    }
  }

  private static void pause(String store) {
    try {
      Thread.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      throw interrupted(store, e);
    }
  }

  private static StoreConnection connect(
      String store, String host, int port, StoreSecret secret, int silenceMillis)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new UnknownHostException("cannot resolve host " + host);
    }
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, CONNECT_MILLIS);
      channel.socket().setSoTimeout(silenceMillis);
      StoreConnection connection = new StoreConnection(store, channel, silenceMillis);
      connection.reader.start();
      BlockBuffer hello = new BlockBuffer(StoreProtocol.MAX_BYTES_OF_HELLO);
      StoreProtocol.putHello(secret, hello);
      connection.request(StoreProtocol.HELLO, hello);
      return connection;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  void send(int type, BlockBuffer body) {
    check();
    if (body.length() > StoreProtocol.MAX_BYTES_IN_PARTS) {
      throw new StoreException(
          "block of %d bytes exceeds the store's limit (%d)"
              .formatted(body.length(), StoreProtocol.MAX_BYTES_IN_PARTS),
          null);
    }
    sending.lock();
    try {
      int from = 0;
      for (; body.length() - from > StoreProtocol.MAX_BYTES; from += StoreProtocol.MAX_BYTES) {
        send(StoreProtocol.PART, body, from, StoreProtocol.MAX_BYTES);
      }
      send(type, body, from, body.length() - from);
    } finally {
      sending.unlock();
    }
  }

  private void send(int type, BlockBuffer body, int from, int length) {
    header.clear();
    header.putInt(length).put((byte) type).flip();
    ByteBuffer[] message = {header, ByteBuffer.wrap(body.bytes(), from, length)};
    try {
      while (header.hasRemaining() || message[1].hasRemaining()) {
        channel.write(message);
      }
    } catch (ClosedByInterruptException e) {
      throw interrupted(store, e);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  Response request(int type, BlockBuffer body) {
    requesting.lock();
    try {
      send(type, body);
      return response();
    } finally {
      requesting.unlock();
    }
  }

  private Response response() {
    lock.lock();
    try {
      while (response == null && failure == null) {
        arrived.await();
      }
      Response mine = response;
      response = null;
      if (mine == null) {
        throw copy(failure);
      }
      return mine;
    } catch (InterruptedException e) {
      close(); // otherwise the next request would take this response
      throw interrupted(store, e);
    } finally {
      lock.unlock();
    }
  }

  private void check() {
    lock.lock();
    try {
      if (failure != null) {
        throw copy(failure);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The reason for a broken connection: the store's last message, if there is one. */
  private RuntimeException lost(IOException e) {
    try {
      reader.join(FAILURE_WAIT_MILLIS);
    } catch (InterruptedException interrupt) {
      throw interrupted(store, interrupt);
    }
    lock.lock();
    try {
      return failure == null ? lostBy(e) : copy(failure);
    } finally {
      lock.unlock();
    }
  }

  private StoreException lostBy(IOException e) {
    return new StoreException("lost the connection to the store at " + store + ": " + e, e);
  }

  /** A copy with the stack trace of the caller. */
  static RuntimeException copy(RuntimeException failure) {
    if (failure instanceof FencedException) {
      return new FencedException(failure.getMessage());
    }
    return failure instanceof WrongSchemaException
        ? new WrongSchemaException(failure.getMessage())
        : new StoreException(failure.getMessage(), failure);
  }

  private static StoreException interrupted(String store, Exception e) {
    Thread.currentThread().interrupt();
    return new StoreException("interrupted while waiting for the store at " + store, e);
  }

  private void read() {
    try {
      MessageReader in = new MessageReader(channel.socket().getInputStream());
      while (true) {
        int type = in.next(StoreProtocol.MAX_BYTES);
        switch (type) {
          case StoreProtocol.BEAT -> {}
          case StoreProtocol.DONE ->
              arrived(new Response(in.body().takeLong(), Frontier.EMPTY, NONE));
          case StoreProtocol.FRONTIER ->
              arrived(new Response(0, StoreProtocol.takeFrontier(in.body()), NONE));
          case StoreProtocol.BYTES ->
              arrived(new Response(0, Frontier.EMPTY, Arrays.copyOf(in.bytes(), in.length())));
          case StoreProtocol.FAILED -> {
            failed(failure(in.body()));
            return;
          }
          case -1 -> throw new IOException("connection closed by the store");
          default -> throw new ProtocolException("unknown message type " + type);
        }
      }
    } catch (SocketTimeoutException e) {
      failed(
          new StoreException(
              "store at %s silent for %d ms: frozen or disconnected"
                  .formatted(store, silenceMillis),
              e));
    } catch (IOException e) {
      failed(lostBy(e));
    } catch (RuntimeException e) {
      failed(new StoreException("invalid message from the store at " + store + ": " + e, e));
    }
  }

  private RuntimeException failure(BlockInput body) throws IOException {
    int kind = body.takeByte();
    String message = StoreProtocol.takeText(body);
    if (kind == StoreProtocol.Failure.FENCED.ordinal()) {
      return new FencedException(message);
    }
    if (kind == StoreProtocol.Failure.WRONG_SCHEMA.ordinal()) {
      return new WrongSchemaException(message);
    }
    return new StoreException("the store at " + store + ": " + message, null);
  }

  private void arrived(Response next) {
    lock.lock();
    try {
      response = next;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void failed(RuntimeException why) {
    lock.lock();
    try {
      failure = why;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    close(); // wakes a thread that is blocked in a send
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("cannot close the connection to the store at {}: {}", store, e.toString());
    }
  }
}
