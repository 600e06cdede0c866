package io.millrace.server.metrics;

import io.millrace.pipelines.Figure;
import io.millrace.pipelines.Pipeline;
import java.util.List;
import java.util.Locale;

/** The metrics of {@code /metrics}, in their order there. */
public enum Metric {
  START_TIME_SECONDS(Type.GAUGE, "start time of the process, seconds since the epoch"),
  PROBLEMS(Type.GAUGE, "problems listed by status and the console"),
  DATAGRAMS_RECEIVED_TOTAL(Type.COUNTER, "datagrams read from the sockets since the start"),
  DATAGRAMS_LOST_TOTAL(
      Type.COUNTER,
      "datagrams sent and not stored, of all exporters and restarts; reason:"
          + " network, while_down, kernel, log_rejected, log_failed, stop, expired, malformed",
      "reason"),
  KERNEL_DROPS_TOTAL(Type.COUNTER, "datagrams dropped by the kernel at the sockets"),
  PACKETS_CAPTURED_TOTAL(
      Type.COUNTER, "packets read from an interface since the start", "interface"),
  PACKETS_LOST_TOTAL(
      Type.COUNTER,
      "packets of an interface that were not logged; reason: kernel, log_rejected, log_failed",
      "interface",
      "reason"),
  REJECTS_TOTAL(Type.COUNTER, "records rejected by the decoder, by reason (see rejects)", "reason"),
  EXPORTERS(Type.GAUGE, "exporters with individual counts, plus entries for others"),
  EXPORTER_DATAGRAMS_TOTAL(
      Type.COUNTER,
      "datagrams sent by an exporter; individual counts for the 1,000 seen longest, others combined",
      "exporter",
      "protocol"),
  EXPORTER_LOST_TOTAL(
      Type.COUNTER, "datagrams of an exporter sent and not stored", "exporter", "protocol"),
  EXPORTER_ROWS_TOTAL(Type.COUNTER, "rows stored from an exporter", "exporter", "protocol"),
  EXPORTER_LAST_SEEN_SECONDS(
      Type.GAUGE,
      "arrival of an exporter's last datagram, seconds since the epoch",
      "exporter",
      "protocol"),
  KAFKA_IN_MESSAGES_TOTAL(
      Type.COUNTER, "messages copied from external topics to the log since the start"),
  KAFKA_IN_OVERSIZED_TOTAL(
      Type.COUNTER,
      "messages of external topics skipped because they exceed the size of a log value"),
  KAFKA_IN_LAG_MESSAGES(Type.GAUGE, "lag of external topics in messages"),
  JOB_RUNNING(Type.GAUGE, "1 while the job runs, 0 while it starts, restarts or has failed"),
  JOB_RESTARTS_TOTAL(Type.COUNTER, "restarts of the job since the start of the process"),
  LAG_VALUES(Type.GAUGE, "lag of the job in log values"),
  FRESHNESS_SECONDS(Type.GAUGE, "age of the newest queryable row"),
  ROWS_DECODED_PER_SECOND(Type.GAUGE, "rows decoded, over the last two seconds"),
  ROWS_STORED_PER_SECOND(Type.GAUGE, "rows stored, over the last two seconds"),
  ROWS_STORED_TOTAL(Type.COUNTER, "rows stored by the job since it was last started"),
  ROWS(Type.GAUGE, "rows in flows"),
  ROWS_REMOVED_TOTAL(
      Type.COUNTER,
      "rows of flows removed by retention; reason: old, or late for rows that arrived after other"
          + " rows of their time had been removed",
      "reason"),
  PIPELINE_RUNNING(Type.GAUGE, "1 while the job of a pipeline or plugin runs, else 0", "pipeline"),
  PIPELINE_RESTARTS_TOTAL(
      Type.COUNTER, "restarts of its job since the start of the process", "pipeline"),
  PIPELINE_LAG_VALUES(Type.GAUGE, "lag of its job in log values", "pipeline"),
  PIPELINE_ROWS_IN_TOTAL(Type.COUNTER, "input rows since its job was last started", "pipeline"),
  PIPELINE_ROWS_STORED_TOTAL(
      Type.COUNTER, "rows stored since its job was last started", "pipeline"),
  STORE_BYTES(Type.GAUGE, "bytes of the store on disk, including its write-ahead log"),
  STORE_DELAYS(
      Type.GAUGE, "background tasks of the store that lag or fail, such as rollups (see status)"),
  DISK_BYTES(Type.GAUGE, "size of the file system of the data directory"),
  DISK_FREE_BYTES(Type.GAUGE, "bytes of that file system that the process can still write"),
  STEP_BLOCK_SECONDS(
      Type.SUMMARY,
      "processing time of a block in a step, without downstream steps; sum and count",
      "step"),
  STEP_ROWS_IN_TOTAL(Type.COUNTER, "input rows of a step since the job was last started", "step"),
  STEP_ROWS_OUT_TOTAL(Type.COUNTER, "output rows of a step since the job was last started", "step"),
  STORE_FLUSH_SECONDS(
      Type.SUMMARY, "time that a checkpoint waits for its rows to be durable; sum and count"),
  JOIN_LOOKUPS_TOTAL(
      Type.COUNTER, "addresses looked up in a data set since the job was last started", "dataset"),
  JOIN_HITS_TOTAL(
      Type.COUNTER, "addresses found in a data set since the job was last started", "dataset"),
  CHECKPOINT_ID(Type.GAUGE, "number of the last completed checkpoint"),
  CHECKPOINT_AGE_SECONDS(Type.GAUGE, "time since the start of the last completed checkpoint"),
  CHECKPOINT_DURATION_SECONDS(Type.GAUGE, "duration of the last completed checkpoint"),
  CHECKPOINT_BYTES(Type.GAUGE, "size of the state in the last completed checkpoint"),
  CHECKPOINTS_TOTAL(
      Type.COUNTER, "checkpoints since the job was submitted; result: completed, failed", "result"),
  SUBTASK_BUSY_RATIO(
      Type.GAUGE,
      "share of time in which a subtask is busy; near 1 it is saturated",
      "task",
      "subtask"),
  SUBTASK_BACK_PRESSURED_RATIO(
      Type.GAUGE, "share of time in which a subtask is back-pressured", "task", "subtask"),
  SUBTASK_IDLE_RATIO(
      Type.GAUGE, "share of time in which a subtask waits for input", "task", "subtask"),
  HOST_CPU_RATIO(Type.GAUGE, "CPU utilisation of a host, over all cores", "host"),
  QUERY_SECONDS(
      Type.HISTOGRAM,
      "time from a query's arrival to the end of its response; query: sql, top, series, flight",
      "query"),
  QUERY_FAILURES_TOTAL(Type.COUNTER, "queries that were rejected or failed", "query"),
  QUERIES_OPEN(Type.GAUGE, "queries in progress, over HTTP and Flight SQL"),
  REQUESTS_REJECTED_TOTAL(
      Type.COUNTER,
      "rejected queries and connections, and aborted requests and responses, over HTTP and Flight"
          + " SQL; reason: client_queries, all_queries, slow_reader, slow_body, connections,"
          + " unread, not_allowed, timeout, memory",
      "reason"),
  INGEST_REQUESTS_REJECTED_TOTAL(
      Type.COUNTER,
      "rejected connections of senders of records, and requests to no stream; reason: token,"
          + " connections, slow, request",
      "reason"),
  INGEST_CONNECTIONS(Type.GAUGE, "open connections of senders of records"),
  INGEST_WAITING_BYTES(Type.GAUGE, "unacknowledged bytes of records"),
  STREAM_RECORDS_TOTAL(
      Type.COUNTER,
      "records of a declared stream; result: read, invalid, logged, failed (since the start of the"
          + " process), in, rejected, future, crowded (since the start of the job)",
      "stream",
      "result"),
  STREAM_REQUESTS_TOTAL(
      Type.COUNTER,
      "requests and WebSocket frames with records of a declared stream",
      "stream",
      "protocol"),
  STREAM_REQUESTS_REJECTED_TOTAL(
      Type.COUNTER,
      "rejected requests and messages of a declared stream; reason: rate, log, memory,"
          + " size, unread, token, request",
      "stream",
      "reason"),
  WEBHOOK_RESULTS_TOTAL(
      Type.COUNTER, "results sent by a webhook; result: posted, rejected", "webhook", "result"),
  WEBHOOK_REQUESTS_FAILED_TOTAL(
      Type.COUNTER, "failed and retried requests of a webhook", "webhook"),
  HEAP_BYTES(Type.GAUGE, "Java heap in use");

  /** Prometheus' type. */
  public enum Type {
    /** Rises and falls. */
    GAUGE,
    /** Only grows, or restarts at 0. */
    COUNTER,
    /** A sum and a count. */
    SUMMARY,
    /** Counts by upper bounds. */
    HISTOGRAM;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Type type;
  private final String help;
  private final String labels; // comma-separated

  Metric(Type type, String help, String... labels) {
    this.type = type;
    this.help = help;
    this.labels = String.join(",", labels);
  }

  /** Name in Prometheus. */
  public String metricName() {
    return "millrace_" + name().toLowerCase(Locale.ROOT);
  }

  /** Type in Prometheus. */
  public Type type() {
    return type;
  }

  /** Help text, one phrase without a full stop. */
  public String help() {
    return help;
  }

  /** Names of its labels. */
  public List<String> labels() {
    return labels.isEmpty() ? List.of() : List.of(labels.split(",", -1));
  }

  /** Metric name of a pipeline's counter. */
  public static String metricName(String pipeline, Figure figure) {
    return "millrace_" + pipeline + '_' + figure.name() + "_total";
  }

  static String page(List<Pipeline> pipelines) {
    StringBuilder page =
        new StringBuilder(
            """
            # Metrics

            `GET /metrics` responds in Prometheus' text format (version 0.0.4). If the instance requires a token, Prometheus
            sends it:

                scrape_configs:
                  - job_name: millrace
                    authorization: {credentials_file: /etc/prometheus/millrace-token}
                    static_configs: [{targets: ["millrace.example.net:8080"]}]

            List a name that is neither the machine's own nor in its certificate in `http.hosts` ([why](http.md#pages-of-other-sites)).

            A metric is omitted while its value is unknown, such as the lag during a start. If the job runs on a cluster, metrics that
            only the cluster has are omitted: scrape Flink's reporter for these. Ratios are from 0 to 1. Shares of time and checkpoints
            are read from Flink at most every five seconds.

            The share of addresses found in a data set: `rate(millrace_join_hits_total[5m]) / rate(millrace_join_lookups_total[5m])`.
            The mean time of a block in a step: `rate(millrace_step_block_seconds_sum[5m]) / rate(millrace_step_block_seconds_count[5m])`.

            | Metric | Type | Labels | Meaning |
            | --- | --- | --- | --- |
            """);
    for (Metric metric : values()) {
      page.append(
          line(metric.metricName(), metric.type, String.join(", ", metric.labels()), metric.help));
    }
    for (Pipeline pipeline : pipelines) {
      for (Figure figure : pipeline.figures()) {
        page.append(line(metricName(pipeline.name(), figure), Type.COUNTER, "", figure.help()));
      }
    }
    return page.toString();
  }

  private static String line(String name, Type type, String labels, String help) {
    return "| `%s` | %s | %s | %s |\n".formatted(name, type.text(), labels, help);
  }
}
