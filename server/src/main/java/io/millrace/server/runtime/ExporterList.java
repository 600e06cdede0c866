package io.millrace.server.runtime;

import io.millrace.pulse.Turn;
import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.LossLedger;
import io.millrace.store.ExporterRow;
import io.millrace.store.Store;
import io.millrace.wire.block.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the table {@code exporters} up with the ledger, on a thread of its own. */
final class ExporterList implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExporterList.class);
  private static final int SECONDS = 5;

  private record Counts(long nanos, long datagrams, long rows) {}

  private final Supplier<LossLedger.Report> ledger;
  private final Store store;
  private final Map<ExporterKey, Counts> before = new HashMap<>();
  private boolean isFailing;
  private volatile long unsampledRows;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "millrace-exporters");
            thread.setDaemon(true);
            return thread;
          });

  private final Turn turn = new Turn("millrace-exporters", Duration.ZERO, this::tick);

  ExporterList(Supplier<LossLedger.Report> ledger, Store store) {
    this.ledger = ledger;
    this.store = store;
  }

  void start() {
    var unused = clock.scheduleWithFixedDelay(turn, 1, SECONDS, TimeUnit.SECONDS);
  }

  private void tick() {
    try {
      update(System.nanoTime());
      isFailing = false;
    } catch (RuntimeException e) {
      if (!isFailing) { // a full disk stays full for a while
        LOG.warn("the table exporters is not brought up to date: {}", e.getMessage());
      }
      isFailing = true;
    }
  }

  /** Rates are those since the update before. */
  void update(long nanos) {
    List<ExporterRow> rows = new ArrayList<>();
    LossLedger.Report report = ledger.get();
    long unsampled = report.messages().records().unsampledRows();
    for (LossLedger.Entry entry : report.exporters()) {
      unsampled += entry.job().records().unsampledRows();
      ExporterStats stats = entry.collected();
      Counts now = new Counts(nanos, stats.received(), entry.job().rows());
      Counts then = before.put(entry.key(), now);
      rows.add(row(entry, then, now));
    }
    before.values().removeIf(seen -> seen.nanos != nanos); // counted with others since
    unsampledRows = unsampled;
    store.exporters(rows);
  }

  /** Rows whose sampling rate nothing told, as of the last update. */
  long unsampledRows() {
    return unsampledRows;
  }

  private static ExporterRow row(LossLedger.Entry entry, Counts then, Counts now) {
    ExporterKey key = entry.key();
    ExporterStats stats = entry.collected();
    double seconds = then == null ? 0 : (now.nanos - then.nanos) / 1e9;
    return new ExporterRow(
        key.senderHigh(),
        key.senderLow(),
        key.agentHigh(),
        key.agentLow(),
        key.protocol().label(),
        Channel.port(key.channel()),
        Integer.toUnsignedLong(key.part()),
        stats.received(),
        seconds > 0 ? (now.datagrams - then.datagrams) / seconds : 0,
        entry.job().rows(),
        seconds > 0 ? (now.rows - then.rows) / seconds : 0,
        stats.missing(),
        entry.lostRecords(),
        entry.droppedByUs() + entry.expired(),
        entry.job().malformed(),
        entry.job().records().templates(),
        stats.firstSeenMicros(),
        stats.lastSeenMicros(),
        stats.skewMicros());
  }

  @Override
  public void close() {
    clock.shutdownNow();
    turn.close();
    try {
      if (clock.awaitTermination(SECONDS, TimeUnit.SECONDS)) {
        tick(); // so that the file has the latest counts
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
