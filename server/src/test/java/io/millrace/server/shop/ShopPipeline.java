package io.millrace.server.shop;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Three streams of records, each stored in a table with the log positions of its records. */
record ShopPipeline(ShopConfig config) implements LogPipeline {
  static final RecordSchema ORDERS =
      new RecordSchema(
          "orders",
          List.of(
              Field.time("time"),
              Field.text("buyer", 1, 20),
              Field.number("amount", 0, 1_000),
              Field.flag("gift").orElse(false)),
          "time",
          "buyer");

  static final RecordSchema VISITS =
      new RecordSchema(
          "visits",
          List.of(Field.time("seen"), Field.number("visitor", 0, Long.MAX_VALUE)),
          "seen",
          "visitor");

  static final RecordSchema RETURNS = new RecordSchema("returns", ORDERS.fields(), "time", "buyer");

  @Override
  public String name() {
    return "shop";
  }

  @Override
  public ShopPipeline with(Record other) {
    return new ShopPipeline((ShopConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(
        RecordStream.of(ORDERS),
        new RecordStream(VISITS, config.visits()),
        new RecordStream(RETURNS, config.returns()));
  }

  @Override
  public int slots(int jobSlots) {
    return 2;
  }

  private static ResultSpec table(RecordStream stream) {
    return ResultSpec.of(stream.name(), stream.schema().columnsWithPlace());
  }

  @Override
  public List<ResultSpec> tables() {
    return streams().stream().map(ShopPipeline::table).toList();
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    for (RecordStream stream : streams()) {
      run.store(
          Analyzers.analyze(
              run.records(job, stream, Duration.ofSeconds(1)),
              stream.name() + "-pass",
              BlockTypeInfo.TABLES,
              run.parallelism(),
              subtask -> (records, out) -> out.emit(records)),
          table(stream));
    }
  }
}
