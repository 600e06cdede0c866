package io.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.quota.QuotaPipeline;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordSchema;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

class CompositionTest {
  private static final RecordSchema SCHEMA =
      new RecordSchema(
          "orders",
          List.of(RecordSchema.Field.time("time"), RecordSchema.Field.number("price", 0, 9)),
          "time",
          "price");

  /** Fills a table of its name. */
  private record Reader(String name, String jobName, List<String> reads, List<RecordStream> streams)
      implements AttachedPipeline {
    static Reader of(String name, String... reads) {
      return new Reader(name, "flows", List.of(reads), List.of());
    }

    @Override
    public Record config() {
      return this;
    }

    @Override
    public Pipeline with(Record config) {
      return this;
    }

    @Override
    public List<ResultSpec> tables() {
      return List.of(ResultSpec.of(name, TableSchema.builder().number("n").build()));
    }

    @Override
    public String inCounter() {
      return name + ".rowsIn";
    }

    @Override
    public void addTo(StreamExecutionEnvironment job, Run run) {}
  }

  private static List<AttachedPipeline> attached(Pipeline... readers) {
    return Composition.attached(
        Stream.concat(Stream.of(new FlowsPipeline(), new QuotaPipeline()), Stream.of(readers))
            .toList());
  }

  private static void rejected(String message, Pipeline... readers) {
    assertThatThrownBy(() -> attached(readers))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void aPipelineIsBuiltAfterThoseWhoseRowsItReads() {
    assertThat(
            attached(
                Reader.of("a", "b", "interface_counters"), Reader.of("b", "c"), Reader.of("c")))
        .extracting(Pipeline::name)
        .containsExactly("c", "b", "a");
  }

  @Test
  void pipelinesThatReadEachOtherAreRejected() {
    rejected(
        "pipelines a, b read each other's rows: remove one from reads()",
        Reader.of("a", "b"),
        Reader.of("c"),
        Reader.of("b", "a"));
  }

  @Test
  void aTableOfNoPipelineOrOfAnotherJobIsRejected() {
    rejected(
        "pipeline a reads rows of bb, which is not a table of an enabled pipeline; did you mean b?",
        Reader.of("a", "bb"),
        Reader.of("b"));
    rejected(
        "pipeline a is part of job flows but reads rows of signals, which job quota"
            + " produces: return quota from jobName(), or read a topic with the rows",
        Reader.of("a", "signals"));
    assertThat(attached(new Reader("a", "quota", List.of("signals"), List.of()))).hasSize(1);
    rejected(
        "pipeline a: unknown job voice; jobName() must return one of flows, quota",
        new Reader("a", "voice", List.of(), List.of()));
  }

  @Test
  void aStreamIsSharedIfItIsDeclaredAlike() {
    RecordStream stream = RecordStream.of(SCHEMA);
    RecordStream other = new RecordStream(SCHEMA, RecordTopic.of("orders", RecordEncoding.JSON));
    Reader first = new Reader("a", "flows", List.of(), List.of(stream));
    assertThat(attached(first, new Reader("b", "flows", List.of(), List.of(stream)))).hasSize(2);
    rejected(
        "pipelines a and b declare the stream orders differently: rename one of them",
        first,
        new Reader("b", "flows", List.of(), List.of(other)));
  }
}
