package io.millrace.server.metrics;

import io.millrace.pipelines.Figure;
import io.millrace.pipelines.Pipeline;
import java.util.List;
import java.util.Locale;

/** Every metric that {@code /metrics} may tell, in its order there. */
public enum Metric {
  START_TIME_SECONDS(Type.GAUGE, "when the process was started, seconds since the epoch"),
  PROBLEMS(Type.GAUGE, "problems that status and the dashboard tell in words"),
  DATAGRAMS_RECEIVED_TOTAL(Type.COUNTER, "datagrams read from the sockets since the start"),
  DATAGRAMS_LOST_TOTAL(
      Type.COUNTER,
      "datagrams that were sent and not stored, of all exporters over all restarts; reason:"
          + " network, while_down, kernel, log_refused, log_failed, stop, expired, malformed",
      "reason"),
  KERNEL_DROPS_TOTAL(Type.COUNTER, "datagrams that the kernel says it dropped at our sockets"),
  PACKETS_CAPTURED_TOTAL(
      Type.COUNTER, "packets read from an interface since the start", "interface"),
  PACKETS_LOST_TOTAL(
      Type.COUNTER,
      "packets of an interface that are not in the log; reason: kernel, log_refused, log_failed",
      "interface",
      "reason"),
  REJECTS_TOTAL(Type.COUNTER, "what made no row, by the reasons of the page of rejects", "reason"),
  EXPORTERS(Type.GAUGE, "exporters that have a ledger of their own, and their others"),
  EXPORTER_DATAGRAMS_TOTAL(
      Type.COUNTER,
      "datagrams that an exporter has sent; the 1,000 seen for longest, the rest as others",
      "exporter",
      "protocol"),
  EXPORTER_LOST_TOTAL(
      Type.COUNTER, "datagrams of an exporter that were not stored", "exporter", "protocol"),
  EXPORTER_ROWS_TOTAL(Type.COUNTER, "rows stored from an exporter", "exporter", "protocol"),
  EXPORTER_LAST_SEEN_SECONDS(
      Type.GAUGE,
      "when the last datagram of an exporter arrived, seconds since the epoch",
      "exporter",
      "protocol"),
  KAFKA_IN_MESSAGES_TOTAL(
      Type.COUNTER, "messages that the log has taken from topics of others since the start"),
  KAFKA_IN_OVERSIZED_TOTAL(
      Type.COUNTER, "of these topics, messages too long for the log; they are left out"),
  KAFKA_IN_LAG_MESSAGES(Type.GAUGE, "messages that these topics hold and that were not read yet"),
  JOB_RUNNING(Type.GAUGE, "1 while the job runs, 0 while it starts, restarts or has failed"),
  JOB_RESTARTS_TOTAL(Type.COUNTER, "restarts of the job since the start of the process"),
  LAG_VALUES(Type.GAUGE, "values that the log holds and the job has not read"),
  FRESHNESS_SECONDS(Type.GAUGE, "age of the newest row that queries see"),
  ROWS_DECODED_PER_SECOND(Type.GAUGE, "rows made of datagrams, over the last two seconds"),
  ROWS_STORED_PER_SECOND(Type.GAUGE, "rows stored, over the last two seconds"),
  ROWS_STORED_TOTAL(Type.COUNTER, "rows stored by the job since it was last started"),
  ROWS(Type.GAUGE, "rows in flows"),
  ROWS_REMOVED_TOTAL(
      Type.COUNTER,
      "rows of flows removed for their age or the size of the store; reason: late for those that"
          + " came after the others of their time were removed, else old",
      "reason"),
  PIPELINE_RUNNING(Type.GAUGE, "1 while the job of a pipeline or plugin runs, else 0", "pipeline"),
  PIPELINE_RESTARTS_TOTAL(
      Type.COUNTER, "restarts of its job since the start of the process", "pipeline"),
  PIPELINE_LAG_VALUES(Type.GAUGE, "values that the log holds and its job has not read", "pipeline"),
  PIPELINE_ROWS_IN_TOTAL(
      Type.COUNTER, "rows that came to it since its job was last started", "pipeline"),
  PIPELINE_ROWS_STORED_TOTAL(
      Type.COUNTER, "rows that it stored since its job was last started", "pipeline"),
  STORE_BYTES(Type.GAUGE, "bytes of the store on disk, its write-ahead log included"),
  STEP_BLOCK_SECONDS(
      Type.SUMMARY,
      "time that a step takes for a block, without the steps behind it; by sum and count",
      "step"),
  STEP_ROWS_IN_TOTAL(
      Type.COUNTER, "rows that came to a step since the job was last started", "step"),
  STEP_ROWS_OUT_TOTAL(
      Type.COUNTER, "rows that a step gave away since the job was last started", "step"),
  STORE_FLUSH_SECONDS(
      Type.SUMMARY, "time for which a checkpoint waits for rows to be durable; by sum and count"),
  JOIN_LOOKUPS_TOTAL(
      Type.COUNTER, "addresses looked up in a data set since the job was last started", "dataset"),
  JOIN_HITS_TOTAL(Type.COUNTER, "of these, addresses that the data set knew", "dataset"),
  CHECKPOINT_ID(Type.GAUGE, "number of the last completed checkpoint"),
  CHECKPOINT_AGE_SECONDS(Type.GAUGE, "time since the last completed checkpoint was begun"),
  CHECKPOINT_DURATION_SECONDS(Type.GAUGE, "how long the last completed checkpoint took"),
  CHECKPOINT_BYTES(Type.GAUGE, "size of the state in the last completed checkpoint"),
  CHECKPOINTS_TOTAL(
      Type.COUNTER, "checkpoints since the job was submitted; result: completed, failed", "result"),
  SUBTASK_BUSY_RATIO(
      Type.GAUGE,
      "share of time in which a subtask works: near 1 it can take no more",
      "task",
      "subtask"),
  SUBTASK_BACK_PRESSURED_RATIO(
      Type.GAUGE, "share of time in which it waits for the step behind it", "task", "subtask"),
  SUBTASK_IDLE_RATIO(Type.GAUGE, "share of time in which it waits for input", "task", "subtask"),
  HOST_CPU_RATIO(Type.GAUGE, "use of a host's processors, over its cores", "host"),
  QUERY_SECONDS(
      Type.HISTOGRAM,
      "from a question's arrival to the end of its answer; query: sql, top, series, flight",
      "query"),
  QUERY_FAILURES_TOTAL(Type.COUNTER, "questions that were refused or broke off", "query"),
  ANSWERS_OPEN(Type.GAUGE, "questions that are being answered, over HTTP and Flight SQL"),
  ANSWERS_REFUSED_TOTAL(
      Type.COUNTER,
      "questions refused because so many were open or answers not taken, connections because a"
          + " client had so many, and requests whose body came too slowly; reason: client, all,"
          + " connections, untaken, slow",
      "reason"),
  ANSWERS_GIVEN_UP_TOTAL(
      Type.COUNTER, "answers that were broken off because their client read too slowly"),
  INGEST_RECORDS_TOTAL(
      Type.COUNTER,
      "records of gateways since the start; result: read, wrong, logged, failed",
      "result"),
  INGEST_REQUESTS_TOTAL(Type.COUNTER, "requests and frames with records of gateways", "protocol"),
  INGEST_REFUSED_TOTAL(
      Type.COUNTER,
      "requests, messages and connections of gateways that were refused; reason: token, rate,"
          + " connections, log, memory, size, slow, unread, request",
      "reason"),
  INGEST_CONNECTIONS(Type.GAUGE, "connections of gateways and senders of streams now"),
  INGEST_WAITING_BYTES(Type.GAUGE, "records of gateways and streams that wait for the log"),
  STREAM_RECORDS_TOTAL(
      Type.COUNTER,
      "records of a declared stream; result, since the start of the process: read, wrong, logged,"
          + " failed, and since that of the job: in, rejected, future, crowded",
      "stream",
      "result"),
  STREAM_REQUESTS_TOTAL(
      Type.COUNTER, "requests and frames with records of a declared stream", "stream", "protocol"),
  STREAM_REFUSED_TOTAL(
      Type.COUNTER,
      "requests and messages of a declared stream that were refused; reason: rate, log, memory,"
          + " size, unread, token, request",
      "stream",
      "reason"),
  WEBHOOK_RESULTS_TOTAL(
      Type.COUNTER,
      "results of a topic that a webhook posted; result: posted, refused",
      "webhook",
      "result"),
  WEBHOOK_REQUESTS_FAILED_TOTAL(
      Type.COUNTER, "requests of a webhook that were made in vain, and again", "webhook"),
  HEAP_BYTES(Type.GAUGE, "Java heap in use");

  /** What Prometheus does with it. */
  public enum Type {
    /** Goes up and down. */
    GAUGE,
    /** Only grows, or starts again at 0. */
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
  private final String labels; // with commas between

  Metric(Type type, String help, String... labels) {
    this.type = type;
    this.help = help;
    this.labels = String.join(",", labels);
  }

  /** Name as Prometheus sees it. */
  public String metricName() {
    return "millrace_" + name().toLowerCase(Locale.ROOT);
  }

  /** What Prometheus does with it. */
  public Type type() {
    return type;
  }

  /** What it says, in one phrase without a full stop. */
  public String help() {
    return help;
  }

  /** Names of its labels. */
  public List<String> labels() {
    return labels.isEmpty() ? List.of() : List.of(labels.split(",", -1));
  }

  /** Name of a figure of a pipeline as Prometheus sees it. */
  public static String metricName(String pipeline, Figure figure) {
    return "millrace_" + pipeline + '_' + figure.name() + "_total";
  }

  /** The reference page, with the figures of these pipelines. */
  static String page(List<Pipeline> pipelines) {
    StringBuilder page =
        new StringBuilder(
            """
            # Metrics

            `GET /metrics` answers in Prometheus' text format (version 0.0.4). Where the instance wants a token, Prometheus
            sends it too:

                scrape_configs:
                  - job_name: millrace
                    authorization: {credentials_file: /etc/prometheus/millrace-token}
                    static_configs: [{targets: ["millrace.example.net:8080"]}]

            A name that is neither the machine's own nor in its certificate stands in `http.hosts` ([why](http.md#pages-of-other-sites)).

            A metric is left out while its value is not known, as the lag is while the job starts. Where the job runs on a cluster, what
            only that cluster knows is left out: scrape Flink's own reporter for it. Ratios are from 0 to 1. Shares of time and checkpoints
            are read from Flink at most every five seconds.

            The share of addresses that a data set knows: `rate(millrace_join_hits_total[5m]) / rate(millrace_join_lookups_total[5m])`.
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
