package io.millrace.pipelines.count;

import io.millrace.analytics.packets.PacketCounts;
import io.millrace.analytics.packets.PacketSums;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.PacketReject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The packet counter.
 *
 * <pre>
 *   log → decode → count +→ packet_counts
 *                        +→ packet_flows
 * </pre>
 *
 * All steps run on the thread that reads the log: the counts of several subtasks add up in the
 * tables.
 *
 * @param config what is counted
 */
public record CountPipeline(CountConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "count";

  /** The topic of blocks of packets. */
  public static final String TOPIC = "millrace.packets";

  static final ResultSpec COUNTS = ResultSpec.of("packet_counts", PacketSums.COUNTS);

  static final ResultSpec FLOWS = ResultSpec.of("packet_flows", PacketSums.FLOWS);

  private static final PacketSteps FIRST_STEPS = new PacketSteps("packet");
  private static final String COUNT_STEP = "packet-count";

  private static final Duration FLUSH_INTERVAL = Duration.ofMillis(20);

  private static final int FLUSH_ROWS = 100_000;

  /** The pipeline with default settings: disabled. */
  public CountPipeline() {
    this(CountConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CountPipeline with(Record other) {
    return new CountPipeline((CountConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<String> topics() {
    return List.of(TOPIC);
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(COUNTS, FLOWS);
  }

  @Override
  public Map<String, String> views() {
    return Map.of(
        "packets_by_second",
        "SELECT time, sum(packets)::BIGINT AS packets, sum(bytes)::BIGINT AS bytes"
            + " FROM packet_counts GROUP BY time ORDER BY time",
        "packets_by_protocol",
        "SELECT proto, sum(packets)::BIGINT AS packets, sum(bytes)::BIGINT AS bytes"
            + " FROM packet_counts GROUP BY proto ORDER BY packets DESC, proto");
  }

  @Override
  public String inCounter() {
    return FIRST_STEPS.packets();
  }

  @Override
  public List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    figures.add(new Figure("packets", "packets counted", COUNT_STEP + '.' + PacketCounts.PACKETS));
    figures.add(
        new Figure(
            "bytes", "bytes of these packets on the wire", COUNT_STEP + '.' + PacketCounts.BYTES));
    figures.addAll(PacketSteps.rejects(COUNT_STEP, PacketReject.OF_HEADERS));
    figures.add(FIRST_STEPS.invalidValues());
    return figures;
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    return FIRST_STEPS.problems(NAME, COUNT_STEP, counters);
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint(
            "totals", (parameters, store) -> new PacketTotals(store).query(parameters)));
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    int parallelism = run.parallelism();
    DataStream<PacketBlock> packets = FIRST_STEPS.addTo(job, run, Optional.empty());
    IpLayer layer = config.layer();
    boolean byFlow = config.byFlow();
    SingleOutputStreamOperator<TableBlock> counts =
        Analyzers.analyze(
            packets,
            COUNT_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new PacketCounts(layer, byFlow));
    store(run, counts, COUNTS);
    store(run, Analyzers.output(counts, PacketCounts.FLOW_ROWS), FLOWS);
  }

  private static void store(Run run, DataStream<TableBlock> rows, ResultSpec to) {
    run.store(rows, to, Pipeline.storeStep(to), FLUSH_INTERVAL, FLUSH_ROWS);
  }
}
