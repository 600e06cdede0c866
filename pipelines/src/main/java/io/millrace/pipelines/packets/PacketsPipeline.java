package io.millrace.pipelines.packets;

import io.millrace.analytics.packets.PacketFlows;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.pipelines.count.PacketSteps;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.PacketReject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Packets as flows, so that pipelines of flows can process packets without further code.
 *
 * <pre>
 *   log → decode → flows → join → pipelines with {@link FlowInput#PACKETS}
 * </pre>
 *
 * It runs if there is such a pipeline, and has no table itself. Event time is that of capture, but
 * not later than arrival.
 *
 * @param config of the conversion
 */
public record PacketsPipeline(PacketsConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = FlowInput.PACKETS.jobName();

  private static final PacketSteps FIRST_STEPS = new PacketSteps(NAME);
  private static final String FLOWS_STEP = "packets-flows";

  /** The pipeline with default settings. */
  public PacketsPipeline() {
    this(PacketsConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public PacketsPipeline with(Record other) {
    return new PacketsPipeline((PacketsConfig) other);
  }

  /** Never runs by itself. */
  @Override
  public boolean enabled() {
    return false;
  }

  @Override
  public List<String> topics() {
    return List.of(CountPipeline.TOPIC);
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of();
  }

  @Override
  public String inCounter() {
    return FIRST_STEPS.packets();
  }

  @Override
  public List<Figure> figures() {
    List<Figure> figures =
        new ArrayList<>(PacketSteps.rejects(FLOWS_STEP, PacketReject.OF_HEADERS));
    figures.add(
        new Figure(
            "from_future",
            "packets with a capture time in the future",
            FLOWS_STEP + '.' + PacketFlows.FROM_FUTURE));
    figures.add(FIRST_STEPS.invalidValues());
    return figures;
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    return FIRST_STEPS.problems(NAME, FLOWS_STEP, counters);
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    int parallelism = run.parallelism();
    DataStream<PacketBlock> packets =
        FIRST_STEPS.addTo(job, run, Optional.of(run.shared().watermarkDelay()));
    IpLayer layer = config.layer();
    DataStream<FlowBlock> flows =
        Analyzers.analyze(
            packets,
            FLOWS_STEP,
            BlockTypeInfo.FLOWS,
            parallelism,
            subtask -> new PacketFlows(layer, () -> System.currentTimeMillis() * 1_000));
    LinkedHashMap<String, DatasetDeclaration> datasets =
        new LinkedHashMap<>(run.shared().datasets()); // serialised with the job
    DataStream<FlowBlock> joined =
        Analyzers.analyze(
            flows,
            "packets-join",
            BlockTypeInfo.FLOWS,
            parallelism,
            subtask -> new FlowJoiner(DatasetDeclaration.toConfigs(datasets)));
    run.provide(joined);
  }
}
