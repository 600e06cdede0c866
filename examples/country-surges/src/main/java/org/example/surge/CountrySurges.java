package org.example.surge;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.AttachedPipeline;
import io.millrace.pipelines.FlowInput;
import io.millrace.pipelines.JobSettings;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Run;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultSpec;
import io.millrace.store.Store;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Minutes in which a country sends many times its usual packets, of what another plugin counts. */
public record CountrySurges(Settings config) implements AttachedPipeline {
  static final String NAME = "country_surges";
  static final ResultSpec TABLE = ResultSpec.of(NAME, SurgeFinder.SURGES);

  /** The table of the other plugin: minute, country, packets. */
  private static final String INPUT = "packets_by_country";

  /** The section country_surges of the configuration. */
  public record Settings(Duration window, int factor, String topic, String webhook) {
    /** Rejects what cannot be meant. */
    public Settings {
      topic = ResultTopic.checkName(topic);
      JobSettings.require(
          factor >= 2 && factor <= 1_000, "factor: " + factor + " is not 2 to 1000");
      JobSettings.require(webhook == null || topic != null, "webhook: needs a topic");
      var unused = JobSettings.posted(NAME, topic, webhook);
    }
  }

  /** With the default settings. */
  public CountrySurges() {
    this(new Settings(Duration.ofMinutes(1), 5, null, null));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CountrySurges with(Record settings) {
    return new CountrySurges((Settings) settings);
  }

  @Override
  public String jobName() {
    return FlowInput.FLOWS.jobName(); // that of the other plugin
  }

  @Override
  public List<String> reads() {
    return List.of(INPUT);
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(TABLE);
  }

  @Override
  public String inCounter() {
    return "country-surges.rowsIn";
  }

  @Override
  public Optional<String> resultTopic() {
    return Optional.ofNullable(config.topic());
  }

  @Override
  public List<WebhookConfig> webhooks() {
    return JobSettings.posted(NAME, config.topic(), config.webhook()).stream().toList();
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(new ApiEndpoint("", CountrySurges::newest));
  }

  private static Map<String, Object> newest(ApiEndpoint.Parameters parameters, Store store) {
    int limit = parameters.intParameter("n", 10, 1, 1_000);
    String sql =
        "SELECT minute_end::VARCHAR, country, packets, usual FROM country_surges"
            + " ORDER BY minute_end DESC, country LIMIT "
            + limit;
    List<Map<String, Object>> rows = new ArrayList<>();
    try (QueryResult surges = store.query(new QueryRequest(sql, Duration.ofSeconds(10), limit))) {
      while (surges.next()) {
        rows.add(
            Map.of(
                "minute_end", surges.value(0).toString().replace(' ', 'T') + "Z",
                "country", surges.value(1).toString(),
                "packets", surges.value(2),
                "usual", surges.value(3)));
      }
    }
    return Map.of("rows", rows);
  }

  @Override
  public void addTo(StreamExecutionEnvironment job, Run run) {
    long windowMicros = config.window().toNanos() / 1_000;
    int factor = config.factor();
    DataStream<TableBlock> surges =
        Analyzers.analyzeKeyed(
            run.rows(job, INPUT),
            SurgeFinder.BY_COUNTRY,
            "country-surges",
            BlockTypeInfo.TABLES,
            run.parallelism(),
            Optional.of(Run.IDLE_TIMEOUT.plus(Run.IDLE_TIMEOUT_PER_LAYER)),
            subtask -> new SurgeFinder(windowMicros, factor));
    run.store(surges, TABLE);
    if (config.topic() != null) {
      run.publish(
          surges,
          ResultTopic.inLog(
              run.bootstrapServers(),
              config.topic(),
              NAME,
              SurgeFinder.SURGES,
              List.of("country", "minute_end"),
              "minute_end",
              ResultTopic.Release.WHEN_COVERED),
          "country-surges-topic");
    }
  }
}
