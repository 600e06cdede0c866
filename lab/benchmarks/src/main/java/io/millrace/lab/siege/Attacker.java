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
 * Who attacks, from one loopback address: its sockets, its chance, and its end. It never waits for
 * long: connections give up reading after {@value #PATIENCE_MILLIS} ms, and all are closed when the
 * phase is over, which unblocks threads that wait on one.
 */
final class Attacker implements AutoCloseable {
  static final int PATIENCE_MILLIS = 2_000;

  /** Little, so that who does not read is felt on the other side. */
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
   * Begins to attack, with a lower priority than all others where the JVM may set one: an attacker
   * has processors of its own, and here it shares those of the attacked.
   *
   * @param number of the attacker, 1 to 250, which gives its address
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
    thread.setPriority(Thread.MIN_PRIORITY + 1); // the lowest is that of who makes way
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

  /** Rounds to their end. */
  long strikes() {
    return strikes.get();
  }

  /** Rounds that a broken or refused connection ended. */
  long rejections() {
    return rejections.get();
  }

  /** Processor time that it has taken for itself, until it is closed. */
  double cpuSeconds() {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()) / 1e9;
  }

  /** Whether it does nothing any more; after {@link #close}. */
  boolean hasEnded() {
    return !thread.isAlive();
  }

  /** Whether the phase is over. */
  boolean isOver() {
    return isOver;
  }

  /** Waits as long as it takes to do something so many times a second, on the whole. */
  void pace(double perSecond) {
    long now = System.nanoTime();
    dueNanos = Math.max(dueNanos + (long) (1e9 / perSecond), now - CATCH_UP_NANOS);
    if (dueNanos - now > MIN_SLEEP_NANOS) {
      LockSupport.parkNanos(dueNanos - now);
    }
  }

  /** Waits, not beyond the end. */
  void rest(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!isOver && System.nanoTime() < end) {
      LockSupport.parkNanos(Math.min(FAILED_NANOS, Math.max(1, end - System.nanoTime())));
    }
  }

  /** Sends a datagram; that nobody listens is no matter. */
  void send(byte[] datagram) throws IOException {
    try {
      udp.write(ByteBuffer.wrap(datagram));
    } catch (SocketException e) {
      if (!isOver) {
        udp.write(ByteBuffer.wrap(datagram)); // the error was an earlier one's
      }
    }
  }

  /** A connection to a port on the product's address; closed by {@link #drop} or at the end. */
  SocketChannel connect(int port) throws IOException {
    return connect(target.udp().getAddress(), port);
  }

  /** A connection to a port on some address. */
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

  /** Ends a connection. */
  void drop(SocketChannel channel) throws IOException {
    channels.remove(channel);
    channel.close();
  }

  /** The bytes of a request with a body. */
  static byte[] request(String method, String path, String headers, byte[] body) {
    String head =
        "%s %s HTTP/1.1\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n"
            .formatted(method, path, headers, body.length);
    ByteArrayOutputStream request = new ByteArrayOutputStream(head.length() + body.length);
    request.writeBytes(head.getBytes(StandardCharsets.UTF_8));
    request.writeBytes(body);
    return request.toByteArray();
  }

  /** Sends a request on a connection of its own and waits until something is answered. */
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
   * Ends the attack and all of its connections.
   *
   * @throws IllegalStateException if it has ended before, by a fault of its own
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
    closeAll(); // what was made while the others were closed
    if (fault != null) {
      throw new IllegalStateException("an attack at fault: " + thread.getName(), fault);
    }
  }

  private void closeAll() throws IOException {
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }
}
