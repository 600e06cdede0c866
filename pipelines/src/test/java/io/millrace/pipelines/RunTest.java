package io.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.alerts.AlertsConfig;
import io.millrace.pipelines.kafka.KafkaEndpoints;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

class RunTest {
  private static final RecordStream ORDERS =
      RecordStream.of(
          new RecordSchema(
              "orders",
              List.of(RecordSchema.Field.time("time"), RecordSchema.Field.number("price", 0, 9)),
              "time",
              "price"));
  private static final ResultSpec TABLE = ResultSpec.of("sold", ORDERS.schema().columnsWithPlace());

  private final Run run =
      Run.live("127.0.0.1:1", new StoreLink.Local("none"), SharedParts.of(Map.of()), 1);
  private final StreamExecutionEnvironment job =
      StreamExecutionEnvironment.getExecutionEnvironment();

  private DataStream<TableBlock> orders(StreamExecutionEnvironment environment) {
    return run.records(environment, ORDERS, Duration.ZERO);
  }

  @Test
  void pipelinesOfAJobShareAStream() {
    assertThat(orders(job)).isSameAs(orders(job));
    assertThat(
            orders(StreamExecutionEnvironment.getExecutionEnvironment()).getExecutionEnvironment())
        .isNotSameAs(job);
  }

  @Test
  void storedRowsCanOnlyBeReadInTheSameJob() {
    assertThatThrownBy(() -> run.rows(job, "sold"))
        .hasMessage(
            "no previously built pipeline of this job writes table sold; declare the table in reads()");
    DataStream<TableBlock> orders = orders(job);
    run.store(orders, TABLE);
    assertThat(run.rows(job, "sold")).isSameAs(orders);
    StreamExecutionEnvironment other = StreamExecutionEnvironment.getExecutionEnvironment();
    assertThatThrownBy(() -> run.rows(other, "sold"))
        .hasMessageContaining("no previously built pipeline of this job");
  }

  /** Reads the records and results of the quota job. */
  private record Reader(Record config) implements AttachedPipeline {
    @Override
    public String name() {
      return "reader";
    }

    @Override
    public Pipeline with(Record other) {
      return new Reader(other);
    }

    @Override
    public String jobName() {
      return "quota";
    }

    @Override
    public List<RecordStream> streams() {
      return new QuotaPipeline().streams();
    }

    @Override
    public List<String> reads() {
      return List.of("signals");
    }

    @Override
    public List<ResultSpec> tables() {
      return List.of(ResultSpec.of("read", ORDERS.schema().columnsWithPlace()));
    }

    @Override
    public String inCounter() {
      return "reader.rowsIn";
    }

    @Override
    public void addTo(StreamExecutionEnvironment job, Run run) {
      run.store(
          Analyzers.analyze(
              run.rows(job, "signals").union(run.records(job, streams().get(0), Duration.ZERO)),
              "reader",
              BlockTypeInfo.TABLES,
              1,
              subtask -> (block, out) -> out.emit(block)),
          tables().get(0));
    }
  }

  @Test
  void aPipelineIsAttachedToAnyJob() throws Exception {
    List<AttachedPipeline> attached =
        Composition.attached(List.of(new Reader(null), new QuotaPipeline()));
    SharedParts shared =
        new SharedParts(Map.of(), KafkaEndpoints.NONE, attached, Duration.ZERO, AlertsConfig.NONE);
    Run ofQuota = Run.live("127.0.0.1:1", new StoreLink.Local("none"), shared, 1);
    new QuotaPipeline().job(ofQuota).build(job);
    List<String> steps =
        job.getStreamGraph().getStreamNodes().stream()
            .map(StreamNode::getTransformationUID)
            .toList();
    assertThat(steps).doesNotHaveDuplicates().contains("usage-log", "reader", "read-store");
    assertThat(new QuotaPipeline().topics(shared))
        .containsExactly("millrace.records.usage", "millrace.records.streaming");
  }
}
