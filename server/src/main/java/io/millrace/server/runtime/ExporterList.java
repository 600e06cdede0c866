package io.millrace.server.runtime;

import io.millrace.pulse.PeriodicTask;
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
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Updates the table {@code exporters} from the ledger, on its own thread. */
final class ExporterList implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExporterList.class);
  private static final int SECONDS = 5;

  /**
   * Time after the last row counted twice for which this is reported. Long enough for rare samples;
   * short, so that the effect of a changed configuration shows.
   */
  private static final Duration REPORT_TWICE_FOR = Duration.ofMinutes(5);

  private static final int MAX_NAMED = 3;

  /**
   * Counts at an update: {@code twice} are rows counted twice, {@code sinceTwice} updates since
   * these rose, negative if never.
   */
  private record Counts(long nanos, long datagrams, long rows, long twice, int sinceTwice) {}

  private final Supplier<LossLedger.Report> ledger;
  private final Store store;
  private final Map<ExporterKey, Counts> before = new HashMap<>();
  private boolean isFailing;
  private volatile long unsampledRows;
  private volatile List<String> countedTwice = List.of();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "millrace-exporters");
            thread.setDaemon(true);
            return thread;
          });

  private final PeriodicTask turn =
      new PeriodicTask("millrace-exporters", Duration.ZERO, this::tick);

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
      if (!isFailing) { // warn only once
        LOG.warn("failed to update the table exporters: {}", e.getMessage());
      }
      isFailing = true;
    }
  }

  void update(long nanos) {
    List<ExporterRow> rows = new ArrayList<>();
    LossLedger.Report report = ledger.get();
    long unsampled = report.messages().records().unsampledRows();
    List<String> twice = new ArrayList<>();
    for (LossLedger.Entry entry : report.exporters()) {
      unsampled += entry.job().records().unsampledRows();
      Counts then = before.get(entry.key());
      Counts now = counts(entry, then, nanos);
      before.put(entry.key(), now);
      if (now.sinceTwice >= 0 && now.sinceTwice < REPORT_TWICE_FOR.toSeconds() / SECONDS) {
        twice.add(entry.key().toString());
      }
      rows.add(row(entry, then, now));
    }
    before.values().removeIf(seen -> seen.nanos != nanos); // exporters merged since then
    unsampledRows = unsampled;
    countedTwice = List.copyOf(twice);
    store.exporters(rows);
  }

  private static Counts counts(LossLedger.Entry entry, Counts then, long nanos) {
    long twice = entry.job().records().bothSidesRows();
    int since = -1;
    if (then != null && twice > then.twice) {
      since = 0;
    } else if (then != null && then.sinceTwice >= 0) {
      since = then.sinceTwice + 1;
    }
    return new Counts(nanos, entry.collected().received(), entry.job().rows(), twice, since);
  }

  Optional<String> countedTwice() {
    List<String> names = countedTwice;
    if (names.isEmpty()) {
      return Optional.empty();
    }
    String others = names.size() > MAX_NAMED ? " and others" : "";
    return Optional.of(
        "traffic of %s%s is counted twice: both sides of its ports are sampled; see millrace doctor"
            .formatted(
                String.join(", ", names.subList(0, Math.min(MAX_NAMED, names.size()))), others));
  }

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
        tick(); // stores the final counts
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
