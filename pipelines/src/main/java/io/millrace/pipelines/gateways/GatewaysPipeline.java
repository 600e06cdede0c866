package io.millrace.pipelines.gateways;

import io.millrace.analytics.gateway.GatewayDays;
import io.millrace.analytics.gateway.GatewayDaysConfig;
import io.millrace.analytics.gateway.IntervalStatistics;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.CheckpointCoverage;
import io.millrace.engine.sink.LogSink;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.source.LogSource;
import io.millrace.pipelines.flows.ResultTarget;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.gateway.GatewayBatch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The job: log → decode → days → tables.
 *
 * <pre>
 *   log → decode → (by gateway) → days +→ gateway_days
 *                                      +→ gateway_alerts
 *                                      +→ compare → gateway_intervals
 * </pre>
 *
 * Decoding stays on the thread that reads the log: records of a gateway are in one partition, and
 * must stay in their order.
 *
 * @param bootstrapServers of the log
 * @param topic of batches of records
 * @param deadLetters topic for values that cannot be read; empty to drop them
 * @param config how records are added up
 * @param store where the tables are
 * @param until where the job ends; empty to go on for ever
 */
public record GatewaysPipeline(
    String bootstrapServers,
    String topic,
    Optional<String> deadLetters,
    GatewaysConfig config,
    StoreLink store,
    Optional<Frontier> until)
    implements EmbeddedFlink.JobBuilder {
  /** Name of the job, and of its checkpoints. */
  public static final String NAME = "gateways";

  /** The topic of batches of records, unless another is said. */
  public static final String TOPIC = "millrace.gateways";

  /** Name of the step that adds records up, in metrics. */
  public static final String DAYS_STEP = "gateway-days";

  /** Rows that changed in an interval come at once, and need not wait for others. */
  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(20);

  private static final int FLUSH_ROWS = 100_000;

  /** As for plugins: longer than fetching from a log that has more takes. */
  private static final Duration QUIET = Duration.ofSeconds(7);

  /** Event time goes on at least so often in an interval. */
  private static final int WATERMARKS_AN_INTERVAL = 2;

  private static final Duration MOST_BETWEEN_WATERMARKS = Duration.ofMillis(200);

  @Override
  public void build(StreamExecutionEnvironment job) {
    job.configure(watermarks());
    int parallelism = config.slots();
    LogSource log =
        LogSource.of(bootstrapServers, topic)
            .withTimes(GatewaysPipeline::arrival)
            .withWatermarks(Duration.ZERO);
    SingleOutputStreamOperator<GatewayBlock> records =
        Analyzers.analyze(
            until.map(log::endingAt).orElse(log).addTo(job, "gateway-log", parallelism),
            "gateway-decode",
            BlockTypeInfo.GATEWAYS,
            parallelism,
            subtask -> new GatewayDecoding());
    deadLetters.ifPresent(
        letters ->
            LogSink.addTo(
                Analyzers.rejects(records), "gateway-dead-letters", bootstrapServers, letters));
    GatewayDaysConfig adding = config.days();
    SingleOutputStreamOperator<TableBlock> days =
        Analyzers.analyzeKeyed(
            records,
            GatewayDays.KEYS,
            DAYS_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(QUIET),
            subtask -> new GatewayDays(adding));
    store(days, GatewayTable.DAYS, parallelism);
    store(Analyzers.output(days, GatewayDays.ALERT_ROWS), GatewayTable.ALERTS, parallelism);
    long intervalMicros = config.interval().toNanos() / 1_000;
    DataStream<TableBlock> compared =
        Analyzers.analyze(
            Analyzers.output(days, GatewayDays.VALUE_ROWS),
            "gateway-compare",
            BlockTypeInfo.TABLES,
            1,
            Optional.of(QUIET),
            subtask -> new IntervalStatistics(intervalMicros));
    store(compared, GatewayTable.INTERVALS, 1);
  }

  private Configuration watermarks() {
    Duration wanted = config.interval().dividedBy(WATERMARKS_AN_INTERVAL);
    Configuration settings = new Configuration();
    settings.set(
        PipelineOptions.AUTO_WATERMARK_INTERVAL,
        wanted.compareTo(MOST_BETWEEN_WATERMARKS) < 0 ? wanted : MOST_BETWEEN_WATERMARKS);
    return settings;
  }

  private static long arrival(RawBatch value) {
    GatewayBatch batch = GatewayBatch.wrap(value.bytes(), value.length());
    return batch.isSound() ? batch.arrival() : LogSource.ValueTimes.UNKNOWN;
  }

  private void store(DataStream<TableBlock> rows, GatewayTable to, int parallelism) {
    StoreLink link = store;
    String table = to.table();
    TableSchema schema = to.schema();
    List<String> key = to.key();
    // On a thread of its own: what adds up does not wait for a commit.
    DataStream<TableBlock> apart = rows.rescale();
    RewindableSink.of(
            subtask -> new ResultTarget(link, table, schema, key), new CheckpointCoverage<>())
        .flushingEvery(FLUSH_INTERVAL, FLUSH_ROWS)
        .addTo(apart, to.table().replace('_', '-') + "-store", parallelism);
  }
}
