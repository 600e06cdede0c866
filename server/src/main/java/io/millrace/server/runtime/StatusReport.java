package io.millrace.server.runtime;

import io.millrace.engine.bridge.TopicBridge;
import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.webhook.Webhook;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pulse.Pulse;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.dashboard.DashboardAssets;
import io.millrace.store.ResultSpec;
import io.millrace.store.StoredRetention;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

final class StatusReport {
  private StatusReport() {}

  static Map<String, Object> of(Millrace millrace, JobStatusReport job, LiveRates live) {
    Map<String, Object> status = new LinkedHashMap<>();
    long now = System.currentTimeMillis();
    status.put("now_ms", now);
    status.put("uptime_ms", now - millrace.startedMillis());
    status.put("state", job.state().toLowerCase(Locale.ROOT));
    status.put("listening", millrace.listening());
    status.put("flight_sql", millrace.flightUrl().orElse(null));
    Pipeline flows = millrace.config().pipeline(FlowsPipeline.class);
    status.put("datagrams_in", millrace.datagrams());
    status.put("samples_in", flows.rowsIn(job.counters()));
    status.put("samples_in_rate", live.of(flows).in());
    status.put("rows_stored", flows.rowsStored(job.counters()));
    status.put("rows_stored_rate", live.of(flows).stored());
    millrace.inputs().bridge().ifPresent(bridge -> status.put("kafka_in", bridge(bridge)));
    StoreFigures figures = millrace.figures();
    status.put("rows", figures.rows());
    StoredRetention retention = figures.retention();
    status.put("rows_removed", retention.rows());
    status.put("rows_removed_late", retention.lateRows());
    status.put(
        "rows_from_ms",
        retention.beforeMicros() == Long.MIN_VALUE ? null : retention.beforeMicros() / 1_000);
    status.put("disk_bytes", figures.diskBytes());
    status.put("lag_batches", job.lagValues() < 0 ? null : job.lagValues());
    long newest = figures.newestMicros();
    status.put("freshness_ms", newest == Long.MIN_VALUE ? null : Math.max(0, now - newest / 1_000));
    loss(status, millrace.inputs().collector().snapshot().exporters());
    status.put("restarts", job.restarts() < 0 ? null : job.restarts());
    status.put("restored_checkpoint", job.restored().orElse(null));
    status.put("checkpoint", job.checkpoint().map(StatusReport::checkpoint).orElse(null));
    status.put("webhooks", millrace.jobs().webhooks().stream().map(StatusReport::webhook).toList());
    status.put("problems", millrace.health().problems());
    status.put("parts", parts());
    status.put("traffic", live.traffic());
    status.put("counters", job.counters());
    Map<String, JobStatusReport> jobs = millrace.jobs().statuses();
    status.put(
        "pipelines",
        millrace.pipelines().stream()
            .map(each -> pipeline(each, jobs.get(each.jobName()), live.of(each)))
            .toList());
    return status;
  }

  static Map<String, Object> ofStart(String stage, long startedMillis) {
    Map<String, Object> status = new LinkedHashMap<>();
    long now = System.currentTimeMillis();
    status.put("now_ms", now);
    status.put("uptime_ms", now - startedMillis);
    status.put("state", "starting");
    status.put("stage", stage);
    status.put("problems", List.of());
    status.put("pipelines", List.of());
    return status;
  }

  /**
   * Adds sent and lost datagrams, only from the collector's counters: reading the job's takes a
   * query of the store.
   */
  private static void loss(Map<String, Object> status, List<ExporterStats> exporters) {
    status.put("datagrams_sent", exporters.stream().mapToLong(ExporterStats::sent).sum());
    status.put(
        "datagrams_lost",
        exporters.stream().mapToLong(each -> each.missing() + each.droppedByUs()).sum());
  }

  private static Map<String, Object> pipeline(
      Pipeline pipeline, JobStatusReport job, LiveRates.Rates rates) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", pipeline.name());
    map.put("job", job.name());
    map.put("state", job.state().toLowerCase(Locale.ROOT));
    map.put("restarts", job.restarts() < 0 ? null : job.restarts());
    map.put("lag_batches", job.lagValues() < 0 ? null : job.lagValues());
    map.put("rows_in", pipeline.rowsIn(job.counters()));
    map.put("rows_in_rate", rates.in());
    map.put("rows_stored", pipeline.rowsStored(job.counters()));
    map.put("rows_stored_rate", rates.stored());
    map.put("tables", pipeline.tables().stream().map(ResultSpec::name).toList());
    Map<String, Object> figures = new LinkedHashMap<>();
    pipeline.figures().forEach(figure -> figures.put(figure.name(), figure.of(job.counters())));
    map.put("figures", figures);
    if (!pipeline.streams().isEmpty()) {
      map.put("streams", pipeline.streams().stream().map(each -> stream(each, job)).toList());
    }
    map.put("page", DashboardAssets.module(pipeline).orElse(null));
    return map;
  }

  private static Map<String, Object> stream(RecordStream stream, JobStatusReport job) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", stream.name());
    map.put("topic", stream.topic());
    map.put("path", stream.isIngested() ? "/ingest/" + stream.name() : null);
    map.put("records_in", Pipeline.sum(job.counters(), stream.rowsCounter()));
    map.put("records_future", Pipeline.sum(job.counters(), stream.futureCounter()));
    map.put("records_crowded", Pipeline.sum(job.counters(), stream.crowdedCounter()));
    map.put("records_invalid", Pipeline.sum(job.counters(), stream.invalidCounter()));
    return map;
  }

  static Map<String, Object> health(Millrace millrace) {
    Map<String, Object> health = new LinkedHashMap<>();
    health.put("job", millrace.job().state().toLowerCase(Locale.ROOT));
    health.put("parts", parts());
    return health;
  }

  private static List<Map<String, Object>> parts() {
    List<Map<String, Object>> parts = new ArrayList<>();
    for (Pulse pulse : Pulse.all()) {
      Map<String, Object> part = new LinkedHashMap<>();
      part.put("name", pulse.name());
      part.put("silent_ms", pulse.silence().toMillis());
      part.put("problem", pulse.problem().orElse(null));
      parts.add(part);
    }
    return parts;
  }

  private static Map<String, Object> webhook(Webhook webhook) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", webhook.name());
    map.put("results_posted", webhook.posted());
    map.put("results_rejected", webhook.rejected());
    map.put("requests_failed", webhook.failedRequests());
    map.put("failure", webhook.failure().isEmpty() ? null : webhook.failure());
    return map;
  }

  private static Map<String, Object> bridge(TopicBridge bridge) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("messages", bridge.messages());
    map.put("bytes", bridge.bytes());
    map.put("oversized", bridge.oversized());
    map.put("lag_messages", bridge.lag() < 0 ? null : bridge.lag());
    map.put("failure", bridge.failure().isEmpty() ? null : bridge.failure());
    return map;
  }

  private static Map<String, Object> checkpoint(JobStatusReport.CompletedCheckpoint checkpoint) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", checkpoint.id());
    map.put("age_ms", checkpoint.age().toMillis());
    map.put("duration_ms", checkpoint.duration().toMillis());
    map.put("bytes", checkpoint.bytes());
    return map;
  }
}
