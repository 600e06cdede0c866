package io.millrace.server.ingest;

import io.millrace.engine.log.LogAppender;
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
 * Batches decoded records into log values, without blocking any thread on the log.
 *
 * <p>One thread iterates over the {@linkplain Lane lanes} and sends the values that are ready. It
 * pauses for the linger between two passes and sleeps when idle, so a single record is sent
 * immediately. The queued bytes of all streams are bounded: above the bound, {@link #hasRoom} is
 * false until half is free.
 *
 * <p>If the log does not acknowledge a value in time, its outcome is unknown. Then the values
 * queued after it fail, their senders are notified, and the lane rejects records until the end of
 * its partition has been read, which restores {@link KnownClients}.
 */
final class Lanes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
  private static final long NO_ROOM_NANOS = 5_000_000;
  private static final long RETRY_NANOS = 200_000_000;

  private final IngestMemory room;
  private final RecordFormat format;
  private final LogAppender log;
  private final KnownClients clients;
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

  Lanes(
      IngestMemory room,
      RecordFormat format,
      LogAppender log,
      KnownClients clients,
      LogEnd end,
      IngestConfig config,
      IngestCounts counts,
      Executor answers) {
    this.room = room;
    this.format = format;
    this.log = log;
    this.clients = clients;
    this.end = end;
    this.counts = counts;
    this.answers = answers;
    maxValueBytes = log.maxValueBytes();
    lingerNanos = config.lingerMicros() * 1_000L;
    lanes = new Lane[log.partitions()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new Lane(i, config.maxBatchBytes(), maxValueBytes);
      lanes[i].reopen(clients.nextOffset(i));
    }
    sender = Pulse.thread(format.schema().name() + "-sender", Duration.ZERO, pulse -> run());
    room.onRoom(this::notifyRoom);
  }

  void start() {
    sender.start();
  }

  /** Whether records are accepted: false under back-pressure, or while a lane has failed. */
  boolean hasRoom() {
    return room.isFree() && brokenLanes.get() == 0 && !closed;
  }

  IngestMemory room() {
    return room;
  }

  /** Runs the task when records are accepted, which may be immediately. */
  void awaitRoom(Runnable task) {
    waitingForRoom.add(task);
    if (hasRoom()) {
      notifyRoom();
    }
  }

  private void notifyRoom() {
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

  /** Whether the rows of each partition fit into one log value. */
  boolean fits(DecodedRecords decoded) {
    return decoded.mostBytes() <= maxValueBytes - LogValue.MAX_FRAMING_BYTES
        || decoded.mostBytesOfPartition(lanes.length) <= maxValueBytes - LogValue.MAX_FRAMING_BYTES;
  }

  /**
   * Adds all valid records, which must {@linkplain #fits fit}, without blocking.
   *
   * @param completion notified when they are in the log; null for none
   * @param client that sent the frame; null for none
   * @return false if some records were rejected: the completion is notified, and the client must be
   *     disconnected
   */
  boolean add(DecodedRecords decoded, Completion completion, ClientFrames client, long frame) {
    int[] firsts = decoded.spread(lanes.length);
    long arrival = ArrivalClock.SYSTEM.micros();
    long[] bytes = new long[1];
    boolean isTaken = true;
    boolean isReady = false;
    for (int i = 0; i < decoded.spreadOver(); i++) {
      int first = firsts[i];
      if (completion != null) {
        completion.expect();
      }
      Lane lane = lanes[decoded.partition(first)];
      switch (lane.add(decoded, first, completion, client, frame, arrival, bytes)) {
        case READY -> isReady = true;
        case REJECTED -> {
          isTaken = false;
          if (completion != null) {
            completion.failed(new IOException("log unavailable"));
          }
        }
        case TAKEN_BEFORE -> {}
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
      boolean isRejected = false;
      for (Lane lane : lanes) {
        LogValue value = lane.next();
        if (value != null) {
          boolean isTaken =
              log.offer(
                  null, // no key: a value has records of many keys
                  lane.partition(),
                  value.bytes(),
                  value.records(),
                  new Answer(lane, value));
          isSent |= isTaken;
          if (!isTaken) {
            isRejected = true;
            lane.putBack(value);
          }
        }
      }
      if (isSent || isRejected) {
        LockSupport.parkNanos(isRejected ? Math.max(NO_ROOM_NANOS, lingerNanos) : lingerNanos);
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

  private final class Answer implements LogAppender.Completion {
    private final Lane lane;
    private final LogValue value;

    Answer(Lane lane, LogValue value) {
      this.lane = lane;
      this.value = value;
    }

    @Override
    public void acknowledged(int partition, long offset) {
      boolean hasMore = lane.logged(value, offset);
      clients.changed();
      counts.recordsLogged.add(value.records());
      counts.valuesLogged.increment();
      if (hasMore) {
        wake();
      }
      room.giveBack(value.length());
      answers.execute(value::notifyLogged);
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
    for (LogValue value : lane.fail()) {
      counts.recordsFailed.add(value.records());
      room.add(-value.length());
      value.notifyFailed(cause);
    }
  }

  private void shut(Lane lane, Exception cause) {
    LOG.warn(
        "the log did not acknowledge records of partition {}: {}; rejecting records until it responds",
        lane.partition(),
        cause.toString());
    brokenLanes.incrementAndGet();
    giveUp(lane, cause);
    String reopener = format.schema().name() + "-reopener-" + lane.partition();
    Pulse.thread(reopener, Duration.ZERO, pulse -> reopen(lane)).start();
  }

  /**
   * Writes an empty value, after which the log can no longer append older values of this producer,
   * and reads the partition up to it.
   */
  private void reopen(Lane lane) {
    while (!closed) {
      try {
        long mark = writeMark(lane.partition());
        clients.resetTaken(lane.partition());
        end.read(lane.partition(), lane.nextOffset(), mark, clients::restore);
        lane.reopen(mark + 1);
        if (brokenLanes.decrementAndGet() == 0) {
          LOG.info("the log responds again; accepting records");
          notifyRoom();
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
            new LogAppender.Completion() {
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
      throw new IOException("the log's buffer is full");
    }
    try {
      return mark.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  /** By partition, the offset after the last known value. */
  long[] nextOffsets() {
    long[] next = new long[lanes.length];
    for (int i = 0; i < next.length; i++) {
      next[i] = lanes[i].nextOffset();
    }
    return next;
  }

  boolean drain(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
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

  /** Stops accepting records; queued ones fail. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(sender);
    List<Lane> all = new ArrayList<>(List.of(lanes));
    all.forEach(lane -> giveUp(lane, new IOException("server shutting down")));
  }
}
