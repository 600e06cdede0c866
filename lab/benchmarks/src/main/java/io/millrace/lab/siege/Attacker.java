package io.millrace.lab.siege;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An attacker at its own loopback address, with its sockets and random numbers. It never waits for
 * long: connecting and reading time out after {@value #PATIENCE_MILLIS} ms, and the end of the
 * phase closes all connections, which unblocks threads that wait on one.
 */
final class Attacker implements AutoCloseable {
  static final int PATIENCE_MILLIS = 2_000;

  /** Small, so that a slow reader stalls the sender. */
  private static final int RECEIVE_BUFFER_BYTES = 4_096;

  private static final long FAILED_NANOS = 20_000_000;
  private static final long CATCH_UP_NANOS = 100_000_000;
  private static final long MIN_SLEEP_NANOS = 1_000_000;

  private final Target target;
  private final InetAddress address;
  private final DatagramChannel udp;
  private final SplittableRandom random;
  private final Thread thread;
  private final Set<SocketChannel> channels = ConcurrentHashMap.newKeySet();
  private final AtomicLong strikes = new AtomicLong();
  private final AtomicLong rejections = new AtomicLong();
  private volatile boolean isOver;
  private volatile RuntimeException fault;
  private long dueNanos;

  /**
   * Starts the attack, with a lower priority than other threads if the JVM may set one: a real
   * attacker has its own processors, while this one shares those of the product.
   *
   * @param number number of the attacker, 1 to 250, which determines its address
   */
  @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
  Attacker(Attack attack, Target target, int number) throws IOException {
    this.target = target;
    address = InetAddress.getByAddress(new byte[] {127, 66, 0, (byte) number});
    random = new SplittableRandom(target.seed() + number);
    udp = DatagramChannel.open();
    udp.bind(new InetSocketAddress(address, 0));
    udp.connect(target.udp());
    thread = new Thread(() -> run(attack), "siege-attacker-" + number);
    thread.setDaemon(true);
    thread.setPriority(Thread.MIN_PRIORITY + 1); // the product's background work has the lowest
    thread.start();
  }

  private void run(Attack attack) {
    while (!isOver) {
      try {
        attack.strike(this);
        strikes.incrementAndGet();
      } catch (IOException e) {
        rejections.incrementAndGet();
        LockSupport.parkNanos(FAILED_NANOS);
      } catch (RuntimeException e) {
        fault = e;
        return;
      }
    }
  }

  Target target() {
    return target;
  }

  InetAddress address() {
    return address;
  }

  SplittableRandom random() {
    return random;
  }

  /** Completed rounds. */
  long strikes() {
    return strikes.get();
  }

  /** Rounds ended by a broken or refused connection. */
  long rejections() {
    return rejections.get();
  }

  /** Processor time of its thread, until it is closed. */
  double cpuSeconds() {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()) / 1e9;
  }

  /** Whether its thread has ended; valid after {@link #close}. */
  boolean hasEnded() {
    return !thread.isAlive();
  }

  /** Whether the phase is over. */
  boolean isOver() {
    return isOver;
  }

  /** Waits so that calls average the given number per second. */
  void pace(double perSecond) {
    long now = System.nanoTime();
    dueNanos = Math.max(dueNanos + (long) (1e9 / perSecond), now - CATCH_UP_NANOS);
    if (dueNanos - now > MIN_SLEEP_NANOS) {
      LockSupport.parkNanos(dueNanos - now);
    }
  }

  /** Waits, but not beyond the end of the phase. */
  void rest(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!isOver && System.nanoTime() < end) {
      LockSupport.parkNanos(Math.min(FAILED_NANOS, Math.max(1, end - System.nanoTime())));
    }
  }

  /** Sends a datagram, whether or not anyone listens. */
  void send(byte[] datagram) throws IOException {
    try {
      udp.write(ByteBuffer.wrap(datagram));
    } catch (SocketException e) {
      if (!isOver) {
        udp.write(ByteBuffer.wrap(datagram)); // the error was of an earlier datagram
      }
    }
  }

  /** Connects to a port of the product; {@link #drop} or the end closes the connection. */
  SocketChannel connect(int port) throws IOException {
    return connect(target.udp().getAddress(), port);
  }

  SocketChannel connect(InetAddress to, int port) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channels.add(channel);
    try {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
      channel.bind(new InetSocketAddress(address, 0));
      channel.socket().setSoTimeout(PATIENCE_MILLIS);
      channel.socket().connect(new InetSocketAddress(to, port), PATIENCE_MILLIS);
      if (isOver) {
        throw new IOException("the attack is over");
      }
      return channel;
    } catch (IOException e) {
      drop(channel);
      throw e;
    }
  }

  /** Closes a connection. */
  void drop(SocketChannel channel) throws IOException {
    channels.remove(channel);
    channel.close();
  }

  /** Encodes a request with a body. */
  static byte[] request(String method, String path, String headers, byte[] body) {
    String head =
        "%s %s HTTP/1.1\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n"
            .formatted(method, path, headers, body.length);
    ByteArrayOutputStream request = new ByteArrayOutputStream(head.length() + body.length);
    request.writeBytes(head.getBytes(StandardCharsets.UTF_8));
    request.writeBytes(body);
    return request.toByteArray();
  }

  /** Sends a request on a new connection and waits for the first byte of the response. */
  void ask(int port, byte[] request) throws IOException {
    SocketChannel channel = connect(port);
    try {
      channel.write(ByteBuffer.wrap(request));
      channel.socket().getInputStream().read();
    } finally {
      drop(channel);
    }
  }

  /**
   * Ends the attack and closes its connections.
   *
   * @throws IllegalStateException if the attack ended earlier with an exception
   */
  @Override
  public void close() throws IOException {
    isOver = true;
    closeAll();
    try {
      thread.join(2L * PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    udp.close();
    closeAll(); // connections opened meanwhile
    if (fault != null) {
      throw new IllegalStateException("attack failed: " + thread.getName(), fault);
    }
  }

  private void closeAll() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }
}
