package io.millrace.server.collect;

import io.millrace.engine.log.LogAppender;
import io.millrace.pulse.Pulse;
import io.millrace.pulse.StateFile;
import io.millrace.pulse.SteadyClock;
import io.millrace.wire.block.LedgerQuota;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives UDP datagrams and writes them unchanged to the log, in batches.
 *
 * <p>Memory is bounded: a batch that the log rejects is dropped and counted, never queued. {@link
 * #close} drains the sockets and waits for the log. Counts persist over restarts in a file.
 * Thread-safe; start once, close once.
 */
public final class UdpCollector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UdpCollector.class);

  /** Maximum silence of the two threads, which report a pulse every few seconds, even when idle. */
  private static final Duration STALL_TIMEOUT = Duration.ofMinutes(1);

  private final CollectorConfig config;
  private final LogAppender log;
  private final Tail tail;
  private final ArrivalClock clock;

  /** Clock for idle times: a temporary jump of the system's clock makes no exporter idle. */
  private final SteadyClock steady;

  private final KernelDrops kernelDrops;
  private final StateFile file;
  private final CollectorLedger ledger;

  private final List<DatagramChannel> channels = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private long[] dropsBefore = new long[0]; // by address, at the last tick
  private UdpReader reader;
  private Thread readerThread;
  private Thread saverThread;
  private int grantedBufferBytes;
  private volatile String saveFailure;
  private volatile boolean countsKernelDrops = true;
  private final CountDownLatch closing = new CountDownLatch(1);

  UdpCollector(CollectorConfig config, Path ledgerFile, LogAppender log, Tail tail) {
    this(
        config,
        LedgerQuota.DEFAULT.keepMicros(),
        ledgerFile,
        log,
        tail,
        ArrivalClock.SYSTEM,
        new KernelDrops());
  }

  /**
   * Creates a collector without starting it.
   *
   * @param keepMicros idle time after which an exporter is merged into others, microseconds
   */
  public UdpCollector(
      CollectorConfig config, long keepMicros, Path ledgerFile, LogAppender log, Tail tail) {
    this(config, keepMicros, ledgerFile, log, tail, ArrivalClock.SYSTEM, new KernelDrops());
  }

  UdpCollector(
      CollectorConfig config,
      long keepMicros,
      Path ledgerFile,
      LogAppender log,
      Tail tail,
      ArrivalClock clock,
      KernelDrops kernelDrops) {
    this.config = config;
    this.log = log;
    this.tail = tail;
    this.clock = clock;
    steady = new SteadyClock(clock::micros, System::nanoTime, wall -> OptionalLong.empty());
    this.kernelDrops = kernelDrops;
    this.file = new StateFile(ledgerFile);
    this.ledger = new CollectorLedger(config.quota(keepMicros));
  }

  /**
   * Restores the counters, binds the sockets and starts reading.
   *
   * @throws IOException if an address cannot be bound, or the saved counters or the end of the log
   *     cannot be read; nothing is left open
   */
  @SuppressWarnings("ThreadPriorityCheck") // correct without it, with more losses
  public void start() throws IOException {
    try {
      resume();
      for (InetSocketAddress address : config.listen()) {
        bind(address);
      }
      dropsBefore = new long[addresses.size()];
      reader = new UdpReader(config, channels, log, clock, ledger);
      file.write(ledger.save());
    } catch (IOException | RuntimeException e) {
      closeChannels();
      throw e;
    }
    readerThread = Pulse.thread("millrace-udp", STALL_TIMEOUT, reader::run);
    readerThread.setDaemon(false);
    // A late reader loses datagrams. Effective only if the JVM may set priorities.
    readerThread.setPriority(Thread.MAX_PRIORITY);
    saverThread =
        Pulse.thread(
            "millrace-udp-ledger",
            STALL_TIMEOUT.plusMillis(config.saveIntervalMillis()),
            this::tickAndSave);
    readerThread.start();
    saverThread.start();
  }

  private void resume() throws IOException {
    Optional<byte[]> saved;
    try {
      saved = file.read();
    } catch (StateFile.DamagedException e) {
      LOG.warn("{}; moved to {}", e.getMessage(), file.damaged());
      file.setAside();
      return;
    }
    if (saved.isEmpty()) {
      return;
    }
    try {
      ledger.restore(saved.get());
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage() + "; move it to start from zero", e);
    }
    ledger.replay(tail);
  }

  private void bind(InetSocketAddress address) throws IOException {
    InetSocketAddress bound = address;
    try {
      if (config.sockets() > 1) {
        // Sockets with SO_REUSEPORT would share the port with another process, so a socket without
        // this option checks the port first.
        try (DatagramChannel alone = open(address)) {
          bound = (InetSocketAddress) alone.bind(address).getLocalAddress();
        }
      }
      for (int i = 0; i < config.sockets(); i++) {
        DatagramChannel channel = open(address);
        channels.add(channel);
        if (config.sockets() > 1) {
          channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        }
        channel.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
        grantedBufferBytes = channel.getOption(StandardSocketOptions.SO_RCVBUF);
        bound = (InetSocketAddress) channel.bind(bound).getLocalAddress();
      }
    } catch (IOException e) {
      throw new IOException(
          String.format(
              "UDP %s:%d: %s; is another collector running?",
              address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
    addresses.add(bound);
  }

  private static DatagramChannel open(InetSocketAddress address) throws IOException {
    boolean v4 =
        address.getAddress() instanceof Inet4Address && !address.getAddress().isAnyLocalAddress();
    return v4 ? DatagramChannel.open(StandardProtocolFamily.INET) : DatagramChannel.open();
  }

  /** Bound addresses, in the order of the configuration. */
  public List<InetSocketAddress> addresses() {
    return List.copyOf(addresses);
  }

  /** Granted receive buffer of each socket, in bytes as the kernel counts them. */
  public int receiveBufferBytes() {
    return grantedBufferBytes;
  }

  /** Whether the system counts drops at the sockets. */
  public boolean countsKernelDrops() {
    return countsKernelDrops;
  }

  /** Problems, one line each; empty if there are none. */
  public List<String> check() {
    List<String> problems = new ArrayList<>();
    if (reader != null && reader.failure() != null) {
      problems.add("UDP reader error; continuing: " + reader.failure());
    }
    file.damagedAt()
        .ifPresent(
            when ->
                problems.add(
                    "the ledger was damaged: counts of datagrams before "
                        + when.truncatedTo(ChronoUnit.SECONDS)
                        + " are lost; delete "
                        + file.damaged()
                        + " to acknowledge"));
    if (saveFailure != null) {
      problems.add(saveFailure);
    }
    if (grantedBufferBytes > 0 && grantedBufferBytes < config.receiveBufferBytes()) {
      problems.add(Doctor.smallBuffer(config.receiveBufferBytes(), grantedBufferBytes));
    }
    return problems;
  }

  /**
   * Returns the current counters, after a close the final ones. Blocks until the next iteration of
   * the reader.
   */
  public LedgerSnapshot snapshot() {
    CompletableFuture<LedgerSnapshot> result = new CompletableFuture<>();
    reader.post(() -> result.complete(ledger.snapshot()));
    reader.wakeUp();
    Optional<LedgerSnapshot> snapshot = await(result);
    if (snapshot.isPresent()) {
      return snapshot.get();
    }
    synchronized (ledger) { // the reader has ended
      return ledger.snapshot();
    }
  }

  /**
   * Waits for a reply of the reader. Empty if the reader has ended without one: then the caller may
   * read the state itself.
   */
  private <T> Optional<T> await(CompletableFuture<T> result) {
    try {
      while (readerThread.isAlive() && !result.isDone()) {
        readerThread.join(1);
      }
      return Optional.ofNullable(result.getNow(null));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the UDP reader", e);
    }
  }

  private void tickAndSave(Pulse pulse) {
    while (!isClosingWithin(config.saveIntervalMillis())) {
      pulse.beat();
      long drops = newKernelDrops();
      await(
              cut(
                  () -> {
                    ledger.kernelTick(drops);
                    ledger.makeRoom(steady.getAsLong());
                  }))
          .ifPresent(this::save);
    }
  }

  private CompletableFuture<byte[]> cut(Runnable before) {
    CompletableFuture<byte[]> result = new CompletableFuture<>();
    reader.post(
        () -> {
          before.run();
          reader.handOver(); // the saved state must not split a batch
          result.complete(ledger.save());
        });
    reader.wakeUp();
    return result;
  }

  /**
   * Writes the current counters to another file, as the ledger of an instance restored from a
   * backup.
   */
  public void saveTo(Path other) throws IOException {
    Optional<byte[]> state = await(cut(() -> {}));
    if (state.isPresent()) {
      new StateFile(other).write(state.get());
    }
  }

  private boolean isClosingWithin(long millis) {
    try {
      return closing.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  private void save(byte[] state) {
    try {
      file.write(state);
      saveFailure = null;
    } catch (IOException e) {
      String problem = "cannot save the loss ledger: " + e + "; check disk space and permissions";
      if (saveFailure == null) {
        LOG.warn(problem);
      }
      saveFailure = problem;
    }
  }

  private long newKernelDrops() {
    long risen = 0;
    boolean hasAll = true;
    for (int i = 0; i < addresses.size(); i++) {
      OptionalLong drops = kernelDrops.read(addresses.get(i));
      hasAll &= drops.isPresent();
      if (drops.isPresent()) {
        risen += drops.getAsLong() - dropsBefore[i] & 0xFFFF_FFFFL; // 32-bit counter
        dropsBefore[i] = drops.getAsLong();
      }
    }
    countsKernelDrops = hasAll;
    return risen;
  }

  @Override
  public void close() throws IOException {
    if (readerThread == null || closing.getCount() == 0) {
      return;
    }
    closing.countDown();
    try {
      saverThread.join();
      reader.stop();
      readerThread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(
          "interrupted while the UDP reader ends; its last second of counts is not saved", e);
    }
    synchronized (ledger) { // the reader has ended
      reader.settle();
      ledger.kernelTick(newKernelDrops());
      closeChannels();
      file.write(ledger.save());
    }
  }

  private void closeChannels() {
    for (DatagramChannel channel : channels) {
      try {
        channel.close();
      } catch (IOException e) {
        LOG.debug("closing a socket", e);
      }
    }
  }
}
