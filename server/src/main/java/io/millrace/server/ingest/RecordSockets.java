package io.millrace.server.ingest;

import io.millrace.pulse.PeriodicTask;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

final class RecordSockets implements AutoCloseable {
  private static final int PINGS_IN_IDLE_TIMEOUT = 3;

  private final Set<RecordSocket> open = ConcurrentHashMap.newKeySet();
  private final long idleNanos;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "record-timer");
            thread.setDaemon(true);
            return thread;
          });

  private final PeriodicTask turn;

  RecordSockets(Duration idleTimeout) {
    idleNanos = idleTimeout.toNanos();
    long period = idleNanos / PINGS_IN_IDLE_TIMEOUT;
    turn =
        new PeriodicTask(
            "record-timer", Duration.ZERO, () -> open.forEach(socket -> socket.tick(idleNanos)));
    var unused = timer.scheduleAtFixedRate(turn, period, period, TimeUnit.NANOSECONDS);
  }

  void add(RecordSocket socket) {
    open.add(socket);
  }

  void remove(RecordSocket socket) {
    open.remove(socket);
  }

  void after(long nanos, Runnable task) {
    var unused = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  void drain(Duration timeout) {
    open.forEach(RecordSocket::drain);
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!open.isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    turn.close();
    open.forEach(RecordSocket::abort);
  }
}
