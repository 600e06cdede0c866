package org.example.subscriber;

import io.millrace.analytics.windows.SlidingWindows;
import io.millrace.analytics.windows.SumsByWindow;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.KeyedInput;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.JobSettings;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Bytes that each subscriber sends in each minute: logins say whose address it was. */
public record SubscriberTraffic(Settings config) implements FlowPipeline {
  static final String NAME = "subscriber_traffic";

  /** Subscriber 0: nobody has the address any more. */
  static final RecordSchema LOGINS =
      new RecordSchema(
          "logins",
          List.of(
              Field.time("time"),
              Field.text("address", 2, 45),
              Field.number("subscriber", 0, Long.MAX_VALUE)),
          "time",
          "address");

  /** The section subscriber_traffic of the configuration. */
  public record Settings(Duration window) {
    /** Rejects windows that are too short. */
    public Settings {
      JobSettings.require(window.toSeconds() > 0, "window: " + window + " is less than 1s");
    }
  }

  /** With the default settings. */
  public SubscriberTraffic() {
    this(new Settings(Duration.ofMinutes(1)));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public SubscriberTraffic with(Record settings) {
    return new SubscriberTraffic((Settings) settings);
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(RecordStream.of(LOGINS));
  }

  private SumsByWindow.Settings sums() {
    return new SumsByWindow.Settings(
        SlidingWindows.tumbling(config.window().toNanos() / 1_000),
        SubscriberJoin.JOINED,
        "time",
        List.of("subscriber"),
        List.of("bytes"));
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(ResultSpec.of(NAME, sums().out()));
  }

  @Override
  public String inCounter() {
    return "subscriber-traffic-join.rowsIn";
  }

  @Override
  public void addTo(DataStream<FlowBlock> flows, Run run) {
    DataStream<TableBlock> logins =
        run.records(flows.getExecutionEnvironment(), streams().get(0), Duration.ofSeconds(10));
    DataStream<TableBlock> joined =
        Analyzers.analyzeKeyed(
            new KeyedInput<>(logins, SubscriberJoin.BY_LOGIN),
            new KeyedInput<>(flows, SubscriberJoin.BY_SOURCE),
            "subscriber-traffic-join",
            BlockTypeInfo.TABLES,
            run.parallelism(),
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new SubscriberJoin());
    SumsByWindow.Settings sums = sums();
    run.store(
        Analyzers.analyzeKeyed(
            joined,
            sums.rowKeys(),
            "subscriber-traffic-sums",
            BlockTypeInfo.TABLES,
            run.parallelism(),
            Optional.of(Run.IDLE_TIMEOUT.plus(Run.IDLE_TIMEOUT_PER_LAYER)),
            subtask -> new SumsByWindow(sums)),
        tables().get(0));
  }
}
