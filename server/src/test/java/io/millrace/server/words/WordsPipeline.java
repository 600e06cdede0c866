package io.millrace.server.words;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.LogSink;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A pipeline that is known only in its package: each value of its topic is a word, which becomes a
 * row, and is also written to another topic.
 */
record WordsPipeline(WordsConfig config) implements LogPipeline {
  static final String NAME = "words";
  static final String TOPIC = "millrace.words";

  /** Topic to which the job also writes. */
  static final String OUTLET = "millrace.words-out";

  private static final ResultSpec WORDS =
      ResultSpec.of("said_words", TableSchema.builder().text("word").number("letters").build());

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public WordsPipeline with(Record other) {
    return new WordsPipeline((WordsConfig) other);
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
  public List<String> ensureTopics(LogCluster log, LogConfig settings, SharedParts shared) {
    new LogTopics(log, settings).ensure(OUTLET);
    return LogPipeline.super.ensureTopics(log, settings, shared);
  }

  @Override
  public int slots(int jobSlots) {
    return 1;
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(WORDS);
  }

  @Override
  public Map<String, String> views() {
    return Map.of("long_words", "SELECT * FROM said_words WHERE letters > 5");
  }

  @Override
  public String inCounter() {
    return "words-read.rowsOut";
  }

  @Override
  public List<String> storeSteps() {
    return List.of("words-store");
  }

  @Override
  public List<Figure> figures() {
    return List.of(new Figure("short", "words with too few letters", "words-read.short"));
  }

  @Override
  public List<String> problems(Map<String, Long> counters) {
    return counters.getOrDefault("words-read.short", 0L) > 0
        ? List.of("somebody says very little")
        : List.of();
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint(
            "count",
            (parameters, store) -> {
              int least = parameters.intParameter("letters", 0, 0, 100);
              String sql = "SELECT count(*) FROM said_words WHERE letters >= " + least;
              try (QueryResult row = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1))) {
                return Map.of("words", row.next() ? row.value(0) : 0);
              }
            }));
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    int least = config.least();
    DataStream<RawBatch> values = run.source(TOPIC).addTo(job, "words-log", run.parallelism());
    SingleOutputStreamOperator<TableBlock> rows =
        Analyzers.analyze(
            values,
            "words-read",
            BlockTypeInfo.TABLES,
            run.parallelism(),
            subtask -> new Reading(least));
    run.deadLetters(rows, "words-dead-letters");
    run.store(rows, WORDS, "words-store", Duration.ofMillis(50), 1_000);
    run.outlet(() -> LogSink.addTo(values, "words-out", run.bootstrapServers(), OUTLET));
  }

  private static final class Reading implements Analyzer<RawBatch, TableBlock> {
    private final int least;
    private AnalyzerContext.Counter tooShort;

    Reading(int least) {
      this.least = least;
    }

    @Override
    public void open(AnalyzerContext context) {
      tooShort = context.counter("short");
    }

    @Override
    public void process(RawBatch value, Emitter<TableBlock> out) {
      String word = new String(value.bytes(), 0, value.length(), StandardCharsets.UTF_8);
      if (word.length() < least) {
        tooShort.add(1);
        return;
      }
      TableBlock row = new TableBlock(WORDS.schema(), 1);
      row.texts(0).add(word);
      row.longs(1)[0] = word.length();
      row.rows(1);
      out.emit(row);
    }
  }
}
