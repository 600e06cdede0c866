package io.millrace.server.collect;

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
 * Receives datagrams over UDP and hands them to the log in batches, as they came.
 *
 * <p>Memory is bounded: there is one open batch, and a batch that the log refuses is dropped and
 * counted, never queued. {@link #close} reads what has arrived, hands it over and waits for the
 * log's answers. Counts live on over restarts in a file. Thread-safe; started and closed once.
 */
public final class UdpCollector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UdpCollector.class);

  /** Both threads do something every few seconds, also where nothing comes. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

  private final CollectorConfig config;
  private final BatchLog log;
  private final Tail tail;
  private final ArrivalClock clock;

  /** A clock that is wrong for a minute makes no exporter silent. */
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
  private volatile boolean kernelTells = true;
  private final CountDownLatch closing = new CountDownLatch(1);

  /**
   * A collector that is not started yet.
   *
   * @param ledgerFile where the counts are kept over restarts; made when it is missing
   * @param log takes the batches
   * @param tail reads what the log holds behind the saved counts
   */
  UdpCollector(CollectorConfig config, Path ledgerFile, BatchLog log, Tail tail) {
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
   * The same.
   *
   * @param keepMicros silence after which an exporter is counted with the others, microseconds
   */
  public UdpCollector(
      CollectorConfig config, long keepMicros, Path ledgerFile, BatchLog log, Tail tail) {
    this(config, keepMicros, ledgerFile, log, tail, ArrivalClock.SYSTEM, new KernelDrops());
  }

  UdpCollector(
      CollectorConfig config,
      long keepMicros,
      Path ledgerFile,
      BatchLog log,
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
   * Takes up the saved counts, binds the sockets and starts reading.
   *
   * @throws IOException an address cannot be bound, the saved counts cannot be read, or the log's
   *     tail cannot; nothing is left open then
   */
  @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it, losses get rarer by it
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
    readerThread = Pulse.thread("millrace-udp", LONGEST_SILENCE, reader::run);
    readerThread.setDaemon(false);
    // Has an effect where the JVM may set priorities: whoever is late here loses datagrams.
    readerThread.setPriority(Thread.MAX_PRIORITY);
    saverThread =
        Pulse.thread(
            "millrace-udp-ledger",
            LONGEST_SILENCE.plusMillis(config.saveIntervalMillis()),
            this::tickAndSave);
    readerThread.start();
    saverThread.start();
  }

  private void resume() throws IOException {
    Optional<byte[]> saved;
    try {
      saved = file.read();
    } catch (StateFile.DamagedException e) {
      LOG.warn("{}; it is set aside as {}", e.getMessage(), file.damaged());
      file.setAside();
      return;
    }
    if (saved.isEmpty()) {
      return;
    }
    try {
      ledger.restore(saved.get());
    } catch (IOException e) {
      throw new IOException(
          file + ": " + e.getMessage() + "; move it away to count from nothing", e);
    }
    ledger.replay(tail);
  }

  private void bind(InetSocketAddress address) throws IOException {
    InetSocketAddress bound = address;
    try {
      if (config.sockets() > 1) {
        // Sockets with SO_REUSEPORT would share the port with another Millrace too, so a socket
        // without it takes the port first.
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

  /** The addresses that the sockets are bound to, in the order of the configuration. */
  public List<InetSocketAddress> addresses() {
    return List.copyOf(addresses);
  }

  /** What the kernel gave for each socket's buffer, in bytes of its own accounting. */
  public int receiveBufferBytes() {
    return grantedBufferBytes;
  }

  /** Whether this system tells how many datagrams it drops at our sockets. */
  public boolean kernelTells() {
    return kernelTells;
  }

  /** What is wrong, one line each; empty while all is well. */
  public List<String> check() {
    List<String> problems = new ArrayList<>();
    if (reader != null && reader.failure() != null) {
      problems.add("the UDP reader stumbled and goes on: " + reader.failure());
    }
    file.damagedAt()
        .ifPresent(
            when ->
                problems.add(
                    "the ledger was damaged: counts of datagrams from before "
                        + when.truncatedTo(ChronoUnit.SECONDS)
                        + " are gone; delete "
                        + file.damaged()
                        + " when you have seen this"));
    if (saveFailure != null) {
      problems.add(saveFailure);
    }
    if (grantedBufferBytes > 0 && grantedBufferBytes < config.receiveBufferBytes()) {
      problems.add(Doctor.smallBuffer(config.receiveBufferBytes(), grantedBufferBytes));
    }
    return problems;
  }

  /** The counts as they are now, or as they were at the end. Waits for the reader's next turn. */
  public LedgerSnapshot snapshot() {
    CompletableFuture<LedgerSnapshot> answer = new CompletableFuture<>();
    reader.post(() -> answer.complete(ledger.snapshot()));
    reader.wakeUp();
    Optional<LedgerSnapshot> snapshot = await(answer);
    if (snapshot.isPresent()) {
      return snapshot.get();
    }
    synchronized (ledger) { // whose owner has ended
      return ledger.snapshot();
    }
  }

  /** Empty if the reader has ended without an answer: then whoever asks may look for itself. */
  private <T> Optional<T> await(CompletableFuture<T> answer) {
    try {
      while (readerThread.isAlive() && !answer.isDone()) {
        readerThread.join(1);
      }
      return Optional.ofNullable(answer.getNow(null));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the UDP reader", e);
    }
  }

  private void tickAndSave(Pulse pulse) {
    while (!isClosingWithin(config.saveIntervalMillis())) {
      pulse.beat();
      long drops = newKernelDrops();
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      reader.post(
          () -> {
            ledger.kernelTick(drops);
            ledger.makeRoom(steady.getAsLong());
            reader.handOver(); // a cut lies between two batches
            answer.complete(ledger.save());
          });
      reader.wakeUp();
      await(answer).ifPresent(this::save);
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
      String problem = "the loss ledger is not saved: " + e + "; make room or give access";
      if (saveFailure == null) {
        LOG.warn(problem);
      }
      saveFailure = problem;
    }
  }

  private long newKernelDrops() {
    long risen = 0;
    boolean tells = true;
    for (int i = 0; i < addresses.size(); i++) {
      OptionalLong drops = kernelDrops.read(addresses.get(i));
      tells &= drops.isPresent();
      if (drops.isPresent()) {
        risen += drops.getAsLong() - dropsBefore[i] & 0xFFFF_FFFFL; // the counter has 32 bits
        dropsBefore[i] = drops.getAsLong();
      }
    }
    kernelTells = tells;
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
          "interrupted while the UDP reader ends; its last second is not saved", e);
    }
    synchronized (ledger) { // whose owner has ended
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
