package io.millrace.server.runtime;

import io.millrace.engine.bridge.TopicBridge;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.JobException;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.webhook.Webhook;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.server.api.ClientRejection;
import io.millrace.server.api.QueryAdmission;
import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.ingest.IngestCounts;
import io.millrace.server.ingest.IngestRejection;
import io.millrace.server.ingest.IngestServer;
import io.millrace.server.metrics.Metric;
import io.millrace.server.metrics.MetricsText;
import io.millrace.server.metrics.Recent;
import io.millrace.store.StoredRetention;
import io.millrace.wire.block.RejectReason;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Metrics of a process in Prometheus' format. Thread-safe.
 *
 * <p>The text is rebuilt at most once a second. Values of the store and of Flink's REST API may be
 * some seconds old on a busy machine, so that a scrape does not wait for them; Flink's API takes a
 * third of a second, so it is read at most every five.
 */
final class MetricsReport {
  private static final Duration CLUSTER_EVERY = Duration.ofSeconds(5);

  private static final Duration TEXT_EVERY = Duration.ofSeconds(1);

  /** Maximum wait for a new text; a scrape takes at most a quarter of a second. */
  private static final Duration TEXT_TIMEOUT = Duration.ofMillis(150);

  /** Maximum age of the text: a third of Prometheus' shortest usual scrape interval. */
  private static final Duration TEXT_OLDEST = Duration.ofSeconds(5);

  private static final Duration TIMEOUT = Duration.ofMillis(50);

  /** Maximum number of exporters with own series, of which each has three, of 100 bytes. */
  private static final int MAX_EXPORTERS = 1_000;

  private static final double NANOS = 1e9;
  private static final double MICROS = 1e6;
  private static final double MILLIS = 1e3;

  private final Millrace millrace;
  private final LiveRates live;
  private final Recent<String> text;
  private final Recent<Optional<ClusterStatus>> cluster;
  private final Recent<LossLedger.Report> ledger;
  private final Recent<Long> rows;
  private final QueryTimes queries;

  MetricsReport(Millrace millrace, LiveRates live, QueryTimes queries) {
    this.millrace = millrace;
    this.live = live;
    this.queries = queries;
    Executor executor = Executors.newCachedThreadPool(MetricsReport::thread);
    text = new Recent<>(this::make, executor, TEXT_EVERY, TEXT_TIMEOUT, TEXT_OLDEST);
    cluster = new Recent<>(() -> read(millrace), executor, CLUSTER_EVERY, TIMEOUT);
    ledger = new Recent<>(millrace::ledger, executor, Duration.ZERO, TIMEOUT);
    rows = new Recent<>(() -> millrace.figures().rows(), executor, Duration.ZERO, TIMEOUT);
  }

  static String ofStart(long startedMillis) {
    MetricsText out = new MetricsText();
    out.add(Metric.START_TIME_SECONDS, startedMillis / MILLIS);
    out.add(Metric.PROBLEMS, 0);
    out.add(Metric.HEAP_BYTES, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    return out.toString();
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "millrace-metrics");
    thread.setDaemon(true);
    return thread;
  }

  String text() {
    return text.get();
  }

  private String make() {
    for (Recent<?> slow : List.of(cluster, ledger, rows)) {
      slow.refresh(); // runs concurrently
    }
    MetricsText out = new MetricsText();
    out.add(Metric.START_TIME_SECONDS, millrace.startedMillis() / MILLIS);
    out.add(Metric.PROBLEMS, millrace.health().problems().size());
    out.add(Metric.DATAGRAMS_RECEIVED_TOTAL, millrace.datagrams());
    ledger(out, ledger.get());
    bridge(out, millrace.inputs().bridge());
    Map<String, JobStatusReport> jobs = millrace.jobs().statuses();
    job(out, jobs.get(FlowsPipeline.NAME));
    jobs.values().forEach(job -> steps(out, job.counters()));
    Set<String> streams = new HashSet<>(); // several pipelines may read the same stream
    for (Pipeline each : millrace.pipelines()) {
      JobStatusReport job = jobs.get(each.jobName());
      pipeline(out, each, job);
      each.streams().stream()
          .filter(stream -> streams.add(stream.name()))
          .forEach(stream -> stream(out, stream, job.counters()));
    }
    store(out);
    cluster.get().ifPresent(status -> cluster(out, status));
    queries.all().forEach((kind, latencies) -> latencies.writeTo(out, kind));
    for (Webhook webhook : millrace.jobs().webhooks()) {
      out.add(Metric.WEBHOOK_RESULTS_TOTAL, webhook.posted(), webhook.name(), "posted");
      out.add(Metric.WEBHOOK_RESULTS_TOTAL, webhook.rejected(), webhook.name(), "rejected");
      out.add(Metric.WEBHOOK_REQUESTS_FAILED_TOTAL, webhook.failedRequests(), webhook.name());
    }
    QueryAdmission admission = millrace.http().admission();
    out.add(Metric.QUERIES_OPEN, admission.open());
    for (ClientRejection reason : ClientRejection.values()) {
      out.add(Metric.REQUESTS_REJECTED_TOTAL, admission.rejected(reason), reason.label());
    }
    millrace.ingest().ifPresent(ingest -> ingest(out, ingest));
    out.add(Metric.HEAP_BYTES, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    return out.toString();
  }

  private static void ingest(MetricsText out, IngestServer ingest) {
    IngestCounts counts = ingest.counts();
    for (IngestRejection reason : IngestRejection.values()) {
      out.add(Metric.INGEST_REQUESTS_REJECTED_TOTAL, counts.rejected(reason), reason.label());
    }
    out.add(Metric.INGEST_CONNECTIONS, ingest.connections());
    out.add(Metric.INGEST_WAITING_BYTES, ingest.waitingBytes());
    ingest.streamCounts().forEach((name, stream) -> stream(out, name, stream));
  }

  private static void stream(MetricsText out, String name, IngestCounts counts) {
    out.add(Metric.STREAM_RECORDS_TOTAL, counts.recordsRead(), name, "read");
    out.add(Metric.STREAM_RECORDS_TOTAL, counts.recordsInvalid(), name, "invalid");
    out.add(Metric.STREAM_RECORDS_TOTAL, counts.recordsLogged(), name, "logged");
    out.add(Metric.STREAM_RECORDS_TOTAL, counts.recordsFailed(), name, "failed");
    out.add(Metric.STREAM_REQUESTS_TOTAL, counts.requests(), name, "http");
    out.add(Metric.STREAM_REQUESTS_TOTAL, counts.frames(), name, "websocket");
    for (IngestRejection reason : IngestRejection.values()) {
      if (counts.rejected(reason) > 0) {
        out.add(
            Metric.STREAM_REQUESTS_REJECTED_TOTAL, counts.rejected(reason), name, reason.label());
      }
    }
  }

  private static void ledger(MetricsText out, LossLedger.Report report) {
    Map<String, Long> lost = new TreeMap<>();
    Map<RejectReason, Long> rejects = new EnumMap<>(RejectReason.class);
    for (LossLedger.Entry entry : report.exporters()) {
      ExporterStats stats = entry.collected();
      lost.merge("network", stats.lostBefore(), Long::sum);
      lost.merge("while_down", stats.lostWhileDown(), Long::sum);
      lost.merge("kernel", stats.droppedByKernel(), Long::sum);
      lost.merge("log_rejected", stats.rejected(), Long::sum);
      // Batches that timed out may be in the log nevertheless.
      lost.merge(
          "log_failed", entry.droppedByUs() - stats.rejected() - stats.lostAtStop(), Long::sum);
      lost.merge("stop", stats.lostAtStop(), Long::sum);
      lost.merge("expired", entry.expired(), Long::sum);
      lost.merge("malformed", entry.job().malformed(), Long::sum);
      entry.job().rejects().forEach((reason, count) -> rejects.merge(reason, count, Long::sum));
    }
    exporters(out, report.exporters());
    report.messages().rejects().forEach((reason, n) -> rejects.merge(reason, n, Long::sum));
    lost.forEach((reason, count) -> out.add(Metric.DATAGRAMS_LOST_TOTAL, count, reason));
    for (RejectReason reason : RejectReason.values()) {
      out.add(Metric.REJECTS_TOTAL, rejects.getOrDefault(reason, 0L), reason.label());
    }
    out.add(Metric.KERNEL_DROPS_TOTAL, report.kernelDrops());
    report.interfaces().forEach(each -> packets(out, each));
    out.add(Metric.EXPORTERS, report.exporters().size());
  }

  private static void packets(MetricsText out, InterfaceCounts counts) {
    String name = counts.name();
    out.add(Metric.PACKETS_CAPTURED_TOTAL, counts.received(), name);
    out.add(Metric.PACKETS_LOST_TOTAL, counts.droppedByKernel(), name, "kernel");
    out.add(Metric.PACKETS_LOST_TOTAL, counts.rejected(), name, "log_rejected");
    out.add(Metric.PACKETS_LOST_TOTAL, counts.failed(), name, "log_failed");
  }

  static void exporters(MetricsText out, List<LossLedger.Entry> entries) {
    Map<List<String>, DeviceFigures> devices = new HashMap<>();
    DeviceFigures others = new DeviceFigures();
    for (LossLedger.Entry entry : entries) {
      ExporterKey key = entry.key();
      (key.equals(ExporterKey.OTHERS)
              ? others
              : devices.computeIfAbsent(
                  List.of(key.device(), key.protocol().label()), unused -> new DeviceFigures()))
          .add(entry);
    }
    List<Map.Entry<List<String>, DeviceFigures>> longest = new ArrayList<>(devices.entrySet());
    longest.sort(
        Comparator.comparing(
                (Map.Entry<List<String>, DeviceFigures> each) -> each.getValue().seen())
            .reversed());
    int named = Math.min(MAX_EXPORTERS, longest.size());
    longest.subList(0, named).forEach(each -> each.getValue().writeTo(out, each.getKey()));
    longest.subList(named, longest.size()).forEach(each -> others.add(each.getValue()));
    if (others.lastSeenMicros > 0) {
      others.writeTo(
          out, List.of(ExporterKey.OTHERS.toString(), ExporterKey.OTHERS.protocol().label()));
    }
  }

  private static final class DeviceFigures {
    private long firstSeenMicros = Long.MAX_VALUE;
    private long lastSeenMicros;
    private long sent;
    private long lost;
    private long rows;

    void add(LossLedger.Entry entry) {
      firstSeenMicros = Math.min(firstSeenMicros, entry.collected().firstSeenMicros());
      lastSeenMicros = Math.max(lastSeenMicros, entry.collected().lastSeenMicros());
      sent += entry.collected().sent();
      lost += entry.lost();
      rows += entry.job().rows();
    }

    void add(DeviceFigures other) {
      firstSeenMicros = Math.min(firstSeenMicros, other.firstSeenMicros);
      lastSeenMicros = Math.max(lastSeenMicros, other.lastSeenMicros);
      sent += other.sent;
      lost += other.lost;
      rows += other.rows;
    }

    long seen() {
      return lastSeenMicros - firstSeenMicros;
    }

    void writeTo(MetricsText out, List<String> labels) {
      String[] labelValues = labels.toArray(new String[0]);
      out.add(Metric.EXPORTER_DATAGRAMS_TOTAL, sent, labelValues);
      out.add(Metric.EXPORTER_LOST_TOTAL, lost, labelValues);
      out.add(Metric.EXPORTER_ROWS_TOTAL, rows, labelValues);
      out.add(Metric.EXPORTER_LAST_SEEN_SECONDS, lastSeenMicros / MICROS, labelValues);
    }
  }

  private static void bridge(MetricsText out, Optional<TopicBridge> bridge) {
    out.add(Metric.KAFKA_IN_MESSAGES_TOTAL, bridge.map(TopicBridge::messages).orElse(0L));
    out.add(Metric.KAFKA_IN_OVERSIZED_TOTAL, bridge.map(TopicBridge::oversized).orElse(0L));
    out.add(Metric.KAFKA_IN_LAG_MESSAGES, bridge.map(b -> known(b.lag())).orElse(0L));
  }

  private void job(MetricsText out, JobStatusReport job) {
    out.add(Metric.JOB_RUNNING, isRunning(job) ? 1 : 0);
    out.add(Metric.JOB_RESTARTS_TOTAL, known(job.restarts()));
    out.add(Metric.LAG_VALUES, known(job.lagValues()));
    LiveRates.Rates rates = live.of(millrace.config().pipeline(FlowsPipeline.class));
    out.add(Metric.ROWS_DECODED_PER_SECOND, rates.in());
    out.add(Metric.ROWS_STORED_PER_SECOND, rates.stored());
    job.checkpoint()
        .ifPresent(
            last -> {
              out.add(Metric.CHECKPOINT_ID, last.id());
              out.add(Metric.CHECKPOINT_AGE_SECONDS, last.age().toMillis() / MILLIS);
              out.add(Metric.CHECKPOINT_DURATION_SECONDS, last.duration().toMillis() / MILLIS);
              out.add(Metric.CHECKPOINT_BYTES, last.bytes());
            });
    Map<String, Long> counters = job.counters();
    out.add(Metric.ROWS_STORED_TOTAL, counters.get("store." + RewindableSink.ROWS));
    joins(out, counters);
  }

  private static boolean isRunning(JobStatusReport job) {
    return job.running() || job.state().equals(ClusterJob.ON_CLUSTER);
  }

  private static void pipeline(MetricsText out, Pipeline pipeline, JobStatusReport job) {
    String name = pipeline.name();
    out.add(Metric.PIPELINE_RUNNING, isRunning(job) ? 1 : 0, name);
    out.add(Metric.PIPELINE_RESTARTS_TOTAL, known(job.restarts()), name);
    out.add(Metric.PIPELINE_LAG_VALUES, known(job.lagValues()), name);
    out.add(Metric.PIPELINE_ROWS_IN_TOTAL, pipeline.rowsIn(job.counters()), name);
    out.add(Metric.PIPELINE_ROWS_STORED_TOTAL, pipeline.rowsStored(job.counters()), name);
    for (Figure figure : pipeline.figures()) {
      out.add(name, figure, figure.of(job.counters()));
    }
  }

  private static void stream(MetricsText out, RecordStream stream, Map<String, Long> counters) {
    records(out, stream, "in", Pipeline.sum(counters, stream.rowsCounter()));
    records(out, stream, "rejected", Pipeline.sum(counters, stream.invalidCounter()));
    records(out, stream, "future", Pipeline.sum(counters, stream.futureCounter()));
    records(out, stream, "crowded", Pipeline.sum(counters, stream.crowdedCounter()));
  }

  private static void records(MetricsText out, RecordStream stream, String result, long count) {
    out.add(Metric.STREAM_RECORDS_TOTAL, count, stream.name(), result);
  }

  private static Long known(long count) {
    return count < 0 ? null : Long.valueOf(count);
  }

  private static void steps(MetricsText out, Map<String, Long> counters) {
    counters.forEach(
        (name, count) -> {
          int dot = name.indexOf('.');
          String step = name.substring(0, dot);
          switch (name.substring(dot + 1)) {
            case "rowsIn" -> out.add(Metric.STEP_ROWS_IN_TOTAL, count, step);
            case "rowsOut" -> out.add(Metric.STEP_ROWS_OUT_TOTAL, count, step);
            case "busyNanos" ->
                out.addSummary(
                    Metric.STEP_BLOCK_SECONDS,
                    count / NANOS,
                    counters.getOrDefault(step + ".blocksIn", 0L),
                    step);
            case RewindableSink.APPEND_NANOS ->
                out.addSummary(
                    Metric.STEP_BLOCK_SECONDS,
                    count / NANOS,
                    counters.getOrDefault(step + ".numRecordsIn", 0L),
                    step);
            case RewindableSink.FLUSH_NANOS -> {
              if (step.equals("store")) {
                long flushes = counters.getOrDefault(step + "." + RewindableSink.FLUSHES, 0L);
                out.addSummary(Metric.STORE_FLUSH_SECONDS, count / NANOS, flushes);
              }
            }
            default -> {
              // counters of Flink and of plugins
            }
          }
        });
  }

  private static void joins(MetricsText out, Map<String, Long> counters) {
    String lookups = "join." + FlowJoiner.LOOKUPS;
    counters.forEach(
        (name, count) -> {
          if (name.startsWith(lookups)) {
            String dataset = name.substring(lookups.length());
            out.add(Metric.JOIN_LOOKUPS_TOTAL, count, dataset);
            out.add(
                Metric.JOIN_HITS_TOTAL,
                counters.getOrDefault("join." + FlowJoiner.HITS + dataset, 0L),
                dataset);
          }
        });
  }

  private void store(MetricsText out) {
    out.add(Metric.ROWS, rows.get());
    StoreFigures figures = millrace.figures();
    StoredRetention removed = figures.retention();
    out.add(Metric.ROWS_REMOVED_TOTAL, removed.rows() - removed.lateRows(), "old");
    out.add(Metric.ROWS_REMOVED_TOTAL, removed.lateRows(), "late");
    out.add(Metric.STORE_BYTES, figures.diskBytes());
    out.add(Metric.STORE_DELAYS, millrace.store().delays().size());
    disk(out, millrace.config().data().toFile());
    long newest = figures.newestMicros();
    if (newest != Long.MIN_VALUE) {
      double age = System.currentTimeMillis() / MILLIS - newest / 1e6;
      out.add(Metric.FRESHNESS_SECONDS, Math.max(0, age));
    }
  }

  /**
   * Adds the disk's size and free space, unless the file system cannot be read: a size of 0 would
   * look like a full disk.
   */
  private static void disk(MetricsText out, File data) {
    long size = data.getTotalSpace();
    if (size > 0) {
      out.add(Metric.DISK_BYTES, size);
      out.add(Metric.DISK_FREE_BYTES, data.getUsableSpace());
    }
  }

  private static Optional<ClusterStatus> read(Millrace millrace) {
    try {
      return millrace.jobs().engine().map(EmbeddedFlink::status);
    } catch (JobException e) {
      return Optional.empty(); // the engine is busy or closing
    }
  }

  private static void cluster(MetricsText out, ClusterStatus status) {
    long completed = 0;
    long failed = 0;
    boolean isCounted = false;
    for (ClusterStatus.Job job : status.jobs()) {
      if (job.checkpoints() != null) {
        isCounted = true;
        completed += job.checkpoints().completed();
        failed += job.checkpoints().failed();
      }
    }
    if (isCounted) {
      out.add(Metric.CHECKPOINTS_TOTAL, completed, "completed");
      out.add(Metric.CHECKPOINTS_TOTAL, failed, "failed");
    }
    for (ClusterStatus.Job job : status.jobs()) {
      for (ClusterStatus.Step step : job.steps()) {
        for (ClusterStatus.Subtask subtask : step.subtasks()) {
          String[] labels = {step.name(), Integer.toString(subtask.index())};
          out.add(Metric.SUBTASK_BUSY_RATIO, subtask.load().busy(), labels);
          out.add(Metric.SUBTASK_BACK_PRESSURED_RATIO, subtask.load().backPressured(), labels);
          out.add(Metric.SUBTASK_IDLE_RATIO, subtask.load().idle(), labels);
        }
      }
    }
    for (ClusterStatus.Host host : status.hosts()) {
      out.add(Metric.HOST_CPU_RATIO, host.cpu() == null ? null : host.cpu().mean(), host.name());
    }
  }
}
