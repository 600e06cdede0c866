package io.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
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
      Run.live(
          "127.0.0.1:1",
          new StoreLink.Local("none"),
          SharedParts.of(Map.of(), Duration.ofSeconds(1)),
          1);
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
  void rowsThatAreStoredCanBeReadInTheSameJobAlone() {
    assertThatThrownBy(() -> run.rows(job, "sold"))
        .hasMessage("no step of this job has stored rows in sold; name it in reads()");
    DataStream<TableBlock> orders = orders(job);
    run.store(orders, TABLE);
    assertThat(run.rows(job, "sold")).isSameAs(orders);
    StreamExecutionEnvironment other = StreamExecutionEnvironment.getExecutionEnvironment();
    assertThatThrownBy(() -> run.rows(other, "sold")).hasMessageContaining("no step of this job");
  }
}
