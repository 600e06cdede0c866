package io.millrace.server.collect;

import io.millrace.engine.log.LogAppender;
import io.millrace.pulse.Pulse;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.export.DatagramHead;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that reads the sockets, fills batches and owns the ledger. Other threads {@link #post}
 * tasks to it, so it needs no locks.
 *
 * <p>An iteration runs the tasks, drains the sockets, and writes batches that have lingered. After
 * traffic it sleeps briefly, while datagrams accumulate in the socket buffers; it waits on the
 * selector only when idle, because a wake-up costs more than reading several datagrams. One thread
 * reads four times the rate that the rest of the process handles. More sockets on a port do not
 * help a single exporter, because the kernel assigns it to one of them.
 *
 * <p>Bytes touched per datagram: its length twice (kernel to socket buffer, buffer to batch), 28
 * bytes of batch header, and the counters of an exporter.
 */
final class UdpReader {
  private static final Logger LOG = LoggerFactory.getLogger(UdpReader.class);
  private static final int MAX_DATAGRAM = 65_535;
  private static final int DATAGRAMS_A_TURN = 512; // per socket and iteration
  private static final long IDLE_MILLIS = 1_000;
  private static final int HEAD_BYTES = 64; // the longest header has 40 bytes

  private final CollectorConfig config;
  private final LogAppender log;
  private final ArrivalClock clock;
  private final CollectorLedger ledger;
  private final Selector selector;
  private final ConcurrentLinkedQueue<Runnable> mailbox = new ConcurrentLinkedQueue<>();

  private final ByteBuffer datagram = ByteBuffer.allocateDirect(MAX_DATAGRAM);
  private final DatagramHead head = new DatagramHead();
  private final byte[] headBytes = new byte[HEAD_BYTES];
  private final OpenBatch spread;
  private final OpenBatch[] inOrder; // by partition of the log; created when needed
  private SocketAddress sender;
  private long senderHigh;
  private long senderLow;
  private int senderPort;

  private boolean wasIdle;
  private volatile boolean stopping;
  private volatile Throwable failure;

  UdpReader(
      CollectorConfig config,
      List<DatagramChannel> channels,
      LogAppender log,
      ArrivalClock clock,
      CollectorLedger ledger)
      throws IOException {
    this.config = config;
    this.log = log;
    this.clock = clock;
    this.ledger = ledger;
    this.spread =
        new OpenBatch(
            config.maxBatchBytes() + RawBatch.DATAGRAM_HEADER_LENGTH, LogAppender.ANY_PARTITION);
    this.inOrder = new OpenBatch[log.partitions()];
    this.selector = Selector.open();
    for (DatagramChannel channel : channels) {
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
    }
  }

  void post(Runnable note) {
    mailbox.add(note);
  }

  void wakeUp() {
    selector.wakeup();
  }

  void stop() {
    stopping = true;
    wakeUp();
  }

  Throwable failure() {
    return failure;
  }

  void run(Pulse pulse) {
    try (Selector closing = selector) {
      while (!stopping) {
        pulse.beat();
        turn(closing);
      }
      drain();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs one iteration. An error with one datagram or task does not stop the reader. */
  private void turn(Selector waiting) throws IOException {
    try {
      readMail();
      if (readSockets() > 0) {
        wasIdle = false;
        handOverIfDue();
        return;
      }
      handOverIfDue();
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      recordFailure(e);
    }
    if (wasIdle || config.pauseMicros() == 0) {
      waiting.select(waitMillis());
      waiting.selectedKeys().clear();
    } else {
      wasIdle = true;
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(config.pauseMicros()));
    }
  }

  void settle() {
    handOver();
    readMail();
  }

  private void readMail() {
    for (Runnable note = mailbox.poll(); note != null; note = mailbox.poll()) {
      note.run();
    }
  }

  /** Reads all sockets after one select, because most are empty most of the time. */
  private int readSockets() throws IOException {
    if (selector.selectNow() == 0) {
      return 0;
    }
    int read = 0;
    for (SelectionKey key : selector.selectedKeys()) {
      DatagramChannel channel = (DatagramChannel) key.channel();
      for (int n = 0; n < DATAGRAMS_A_TURN; n++) {
        datagram.clear();
        SocketAddress from = channel.receive(datagram);
        if (from == null) {
          break;
        }
        if (from != sender) { // the channel returns the same object for the same sender
          decodeSender(from);
        }
        take();
        read++;
      }
    }
    selector.selectedKeys().clear();
    return read;
  }

  private void take() {
    datagram.flip();
    int length = datagram.remaining();
    int headLength = Math.min(length, HEAD_BYTES);
    datagram.get(0, headBytes, 0, headLength);
    head.read(headBytes, 0, headLength);
    OpenBatch batch = batch();
    if (batch.length() + RawBatch.DATAGRAM_HEADER_LENGTH + length > config.maxBatchBytes()) {
      handOver(batch);
    }
    long micros = clock.micros();
    batch.add(micros, senderHigh, senderLow, senderPort, datagram);
    ledger.observe(batch.counters(), micros, senderHigh, senderLow, senderPort, head);
  }

  /**
   * Batch for the current datagram. Datagrams with templates, options or records that need them are
   * partitioned by the address of the device, which may send from several ports and domains; others
   * go to any partition.
   */
  private OpenBatch batch() {
    if (!head.protocol().hasTemplates()) {
      return spread;
    }
    long hash = senderHigh * 31 + senderLow;
    int partition = (int) Long.remainderUnsigned(hash * 0x9E37_79B9_7F4A_7C15L, inOrder.length);
    if (inOrder[partition] == null) {
      inOrder[partition] = new OpenBatch(0, partition);
    }
    return inOrder[partition];
  }

  private void decodeSender(SocketAddress from) {
    InetSocketAddress address = (InetSocketAddress) from;
    byte[] bytes = address.getAddress().getAddress();
    ByteBuffer words = ByteBuffer.wrap(bytes);
    if (bytes.length == 4) {
      senderHigh = 0;
      senderLow = Addresses.v4Low(words.getInt());
    } else {
      senderHigh = words.getLong();
      senderLow = words.getLong();
    }
    senderPort = address.getPort();
    sender = from;
  }

  private void handOverIfDue() {
    handOverIfDue(spread);
    for (OpenBatch batch : inOrder) {
      if (batch != null) {
        handOverIfDue(batch);
      }
    }
  }

  private void handOverIfDue(OpenBatch batch) {
    if (!batch.isEmpty() && lingerLeftNanos(batch) <= 0) {
      handOver(batch);
    }
  }

  private long lingerLeftNanos(OpenBatch batch) {
    return batch.firstNanos()
        + TimeUnit.MICROSECONDS.toNanos(config.lingerMicros())
        - System.nanoTime();
  }

  private long waitMillis() {
    long wait = waitMillis(spread);
    for (OpenBatch batch : inOrder) {
      if (batch != null) {
        wait = Math.min(wait, waitMillis(batch));
      }
    }
    return wait;
  }

  private long waitMillis(OpenBatch batch) {
    return batch.isEmpty()
        ? IDLE_MILLIS
        : Math.max(1, TimeUnit.NANOSECONDS.toMillis(lingerLeftNanos(batch) + 999_999));
  }

  void handOver() {
    handOver(spread);
    for (OpenBatch batch : inOrder) {
      if (batch != null) {
        handOver(batch);
      }
    }
  }

  private void handOver(OpenBatch batch) {
    if (batch.isEmpty()) {
      return;
    }
    int datagrams = batch.datagrams();
    BatchCounters counters = batch.counters();
    ledger.finishBatch(counters, batch.firstMicros(), datagrams, batch.length());
    boolean taken =
        offer(
            batch,
            datagrams,
            new LogAppender.Completion() {
              @Override
              public void acknowledged(int partition, long offset) {
                post(() -> ledger.logged(counters, partition, offset));
              }

              @Override
              public void failed(Exception cause) {
                post(() -> ledger.failed(counters));
              }
            });
    if (!taken) {
      ledger.rejected(counters);
    }
    batch.clear();
  }

  private boolean offer(OpenBatch batch, int datagrams, LogAppender.Completion completion) {
    try {
      return log.offer(null, batch.partition(), batch.toBytes(), datagrams, completion);
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      recordFailure(e);
      return false;
    }
  }

  private void recordFailure(Throwable cause) {
    if (failure == null) {
      LOG.error("UDP reader error; continuing", cause);
    }
    failure = cause;
  }

  private void drain() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.closeTimeoutMillis());
    int read;
    do {
      read = readSockets();
      readMail();
    } while (read > 0 && System.nanoTime() < deadline);
    handOver();
    while (ledger.batchesInFlight() > 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      readMail();
    }
  }
}
