package io.millrace.server.ingest;

import io.millrace.engine.log.LogWriter;
import io.millrace.pulse.Pulse;
import io.millrace.server.collect.ArrivalClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From decoded records to values in the log: many requests and frames in, few values out, and no
 * thread that waits for the log.
 *
 * <p>One thread goes round the {@linkplain Lane lanes} and gives the log what is ready; between two
 * rounds it rests for the linger, in which more comes together. When nothing waits it sleeps, so
 * that a single record goes at once. What waits is counted in bytes, of all streams together;
 * beyond the bound {@link #hasRoom} is false, until half of it is gone.
 *
 * <p>When the log has not answered for a value in time, nobody knows whether it has it. Then all
 * that waits behind it is given up, its senders are told, and the lane stays shut until the end of
 * its partition has been read: {@link FrameMemory} knows again which frames are there.
 */
final class Lanes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
  private static final long NO_ROOM_NANOS = 5_000_000;
  private static final long RETRY_NANOS = 200_000_000;

  private final Room room;
  private final StreamFormat format;
  private final ValueLog log;
  private final FrameMemory memory;
  private final LogEnd end;
  private final IngestCounts counts;
  private final Executor answers;
  private final long lingerNanos;
  private final Lane[] lanes;
  private final int maxValueBytes;
  private final AtomicLong brokenLanes = new AtomicLong();
  private final Queue<Runnable> waitingForRoom = new ConcurrentLinkedQueue<>();
  private final Thread sender;
  private volatile boolean idle;
  private volatile boolean closed;

  /**
   * @param room that all streams share
   * @param end reads what the log has of a partition
   * @param answers runs what tells senders
   */
  Lanes(
      Room room,
      StreamFormat format,
      ValueLog log,
      FrameMemory memory,
      LogEnd end,
      IngestConfig config,
      IngestCounts counts,
      Executor answers) {
    this.room = room;
    this.format = format;
    this.log = log;
    this.memory = memory;
    this.end = end;
    this.counts = counts;
    this.answers = answers;
    maxValueBytes = log.maxValueBytes();
    lingerNanos = config.lingerMicros() * 1_000L;
    lanes = new Lane[log.partitions()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new Lane(i, format.kinds(), config.maxBatchBytes(), maxValueBytes);
      lanes[i].mend(memory.nextOffset(i));
    }
    sender = Pulse.thread(format.threads() + "-sender", Duration.ZERO, pulse -> run());
    room.onRoom(this::tellRoom);
  }

  void start() {
    sender.start();
  }

  /** Whether records are taken now; if not, the log is slow, or a lane is shut. */
  boolean hasRoom() {
    return room.isFree() && brokenLanes.get() == 0 && !closed;
  }

  /** What is waited for, of this stream and all others. */
  Room room() {
    return room;
  }

  /** Runs the task once when there is room, perhaps at once. */
  void awaitRoom(Runnable task) {
    waitingForRoom.add(task);
    if (hasRoom()) {
      tellRoom();
    }
  }

  private void tellRoom() {
    if (waitingForRoom.isEmpty() || !hasRoom()) {
      return;
    }
    answers.execute(
        () -> {
          for (Runnable task; hasRoom() && (task = waitingForRoom.poll()) != null; ) {
            task.run();
          }
        });
  }

  /** Whether what was decoded fits into one value for each partition; if not, it never will. */
  boolean fits(Decoding decoded) {
    return decoded.mostBytes() <= maxValueBytes - LogValue.MOST_FRAMING_BYTES
        || decoded.mostBytesOfPartition(lanes.length)
            <= maxValueBytes - LogValue.MOST_FRAMING_BYTES;
  }

  /**
   * Adds all good records that were decoded, which {@linkplain #fits fit}; returns at once.
   *
   * @param receipt told when they are in the log; null if nobody waits
   * @param client whose frame they are; null for none
   * @return false if some were refused: the receipt is told, a client has to be turned away
   */
  boolean add(Decoding decoded, Receipt receipt, ClientFrames client, long frame) {
    int[] firsts = decoded.spread(lanes.length);
    long arrival = ArrivalClock.SYSTEM.micros();
    long[] bytes = new long[1];
    boolean isTaken = true;
    boolean isReady = false;
    for (int i = 0; i < decoded.spreadOver(); i++) {
      int first = firsts[i];
      if (receipt != null) {
        receipt.expect();
      }
      Lane lane = lanes[decoded.partition(first)];
      switch (lane.add(decoded, first, receipt, client, frame, arrival, bytes)) {
        case READY -> isReady = true;
        case REFUSED -> {
          isTaken = false;
          if (receipt != null) {
            receipt.failed(new IOException("the log is out of reach"));
          }
        }
        case TAKEN_BEFORE -> counts.framesAgain.increment();
        case WAITING -> {}
      }
      room.add(bytes[0]);
    }
    if (isReady) {
      wake();
    }
    return isTaken;
  }

  private void wake() {
    if (idle) {
      LockSupport.unpark(sender);
    }
  }

  private void run() {
    while (true) {
      boolean isSent = false;
      boolean isRefused = false;
      for (Lane lane : lanes) {
        LogValue value = lane.next();
        if (value != null) {
          boolean isTaken =
              log.offer(
                  value.key(),
                  lane.partition(),
                  value.bytes(),
                  value.records(),
                  new Answer(lane, value));
          isSent |= isTaken;
          if (!isTaken) {
            isRefused = true;
            lane.putBack(value);
          }
        }
      }
      if (isSent || isRefused) {
        LockSupport.parkNanos(isRefused ? Math.max(NO_ROOM_NANOS, lingerNanos) : lingerNanos);
      } else if (closed) {
        return;
      } else {
        idle = true;
        if (!isAnyReady() && !closed) {
          LockSupport.park(this);
        }
        idle = false;
      }
    }
  }

  private boolean isAnyReady() {
    for (Lane lane : lanes) {
      if (lane.isReady()) {
        return true;
      }
    }
    return false;
  }

  /** What the log says to a value. */
  private final class Answer implements LogWriter.Completion {
    private final Lane lane;
    private final LogValue value;

    Answer(Lane lane, LogValue value) {
      this.lane = lane;
      this.value = value;
    }

    @Override
    public void acknowledged(int partition, long offset) {
      boolean hasMore = lane.logged(value, offset);
      memory.changed();
      counts.recordsLogged.add(value.records());
      counts.valuesLogged.increment();
      if (hasMore) {
        wake();
      }
      room.giveBack(value.length());
      answers.execute(value::tellLogged);
    }

    @Override
    public void failed(Exception cause) {
      if (!closed) {
        answers.execute(() -> shut(lane, cause));
      } else {
        giveUp(lane, cause);
      }
    }
  }

  private void giveUp(Lane lane, Exception cause) {
    for (LogValue value : lane.breakOff()) {
      counts.recordsFailed.add(value.records());
      room.add(-value.length());
      value.tellFailed(cause);
    }
  }

  private void shut(Lane lane, Exception cause) {
    LOG.warn(
        "the log did not answer for partition {}: {}; records are refused until it does",
        lane.partition(),
        cause.toString());
    brokenLanes.incrementAndGet();
    giveUp(lane, cause);
    String mender = format.threads() + "-mender-" + lane.partition();
    Pulse.thread(mender, Duration.ZERO, pulse -> mend(lane)).start();
  }

  /**
   * Writes an empty value, behind which nothing that was given up can come any more: the log
   * refuses what is older of a producer. Then reads what came before it.
   */
  private void mend(Lane lane) {
    while (!closed) {
      try {
        long mark = writeMark(lane.partition());
        memory.forgetTaken(lane.partition());
        end.read(lane.partition(), lane.nextOffset(), mark, memory::restore);
        lane.mend(mark + 1);
        if (brokenLanes.decrementAndGet() == 0) {
          LOG.info("the log answers again; records are taken");
          tellRoom();
        }
        return;
      } catch (IOException | RuntimeException e) {
        LockSupport.parkNanos(RETRY_NANOS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private long writeMark(int partition) throws IOException, InterruptedException {
    CompletableFuture<Long> mark = new CompletableFuture<>();
    boolean isTaken =
        log.offer(
            null,
            partition,
            format.emptyValue(ArrivalClock.SYSTEM.micros()),
            0,
            new LogWriter.Completion() {
              @Override
              public void acknowledged(int partition, long offset) {
                mark.complete(offset);
              }

              @Override
              public void failed(Exception cause) {
                mark.completeExceptionally(cause);
              }
            });
    if (!isTaken) {
      throw new IOException("the log has no room");
    }
    try {
      return mark.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  /** The offset behind what the log is known to have of us, for each partition. */
  long[] nextOffsets() {
    long[] next = new long[lanes.length];
    for (int i = 0; i < next.length; i++) {
      next[i] = lanes[i].nextOffset();
    }
    return next;
  }

  /** Waits until the log has all that was taken; false if the patience is over before. */
  boolean drain(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < deadline) {
      boolean isEmpty = true;
      for (Lane lane : lanes) {
        isEmpty &= lane.isEmpty();
      }
      if (isEmpty) {
        return true;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return false;
  }

  /** Takes nothing any more; what waits is given up. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(sender);
    List<Lane> all = new ArrayList<>(List.of(lanes));
    all.forEach(lane -> giveUp(lane, new IOException("the server is being stopped")));
  }
}
