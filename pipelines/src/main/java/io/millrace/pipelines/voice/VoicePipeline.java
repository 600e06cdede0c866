package io.millrace.pipelines.voice;

import io.millrace.analytics.voice.VoiceGuard;
import io.millrace.analytics.voice.VoiceRecords;
import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.engine.operator.KeyedInput;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.table.TableFile;
import io.millrace.engine.table.TableTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.pipelines.Figure;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Flow control: base station controllers limit data while messaging traffic takes the place of
 * calls.
 *
 * <pre>
 *   cells.csv → table ──┐
 *   voice_messages → volumes ─(by controller)─┐
 *                                             guard → commands: table, topic → webhook
 *   voice_channels ───────────(by controller)─┘     → controllers: table
 * </pre>
 *
 * @param config rules, input and output
 */
public record VoicePipeline(VoiceConfig config) implements LogPipeline {
  /** Name of the pipeline. */
  public static final String NAME = "voice";

  static final ResultSpec COMMANDS = ResultSpec.of("voice_commands", VoiceRecords.COMMANDS);

  static final ResultSpec CONTROLLERS =
      new ResultSpec(
          "voice_controllers",
          VoiceRecords.CONTROLLERS,
          List.of("controller"),
          ResultRetention.DEFAULT);

  private static final String TABLE_TOPIC = "millrace.tables.voice-cells";
  private static final String VOLUMES_STEP = "voice-volumes";
  private static final String GUARD_STEP = "voice-guard";
  private static final String UNKNOWN_CELLS = VOLUMES_STEP + '.' + CellVolumes.UNKNOWN;
  private static final String LATE_MESSAGES = GUARD_STEP + '.' + VoiceGuard.LATE_MESSAGES;
  private static final String LATE_CHANNELS = GUARD_STEP + '.' + VoiceGuard.LATE_CHANNELS;

  private static final List<String> IDENTITY = List.of("controller", "command", "time");

  /** Commands wait for the watermark, on average half of this interval. */
  private static final long MILLIS_BETWEEN_WATERMARKS = 20;

  /** The pipeline with default settings: disabled. */
  public VoicePipeline() {
    this(VoiceConfig.defaults());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public VoicePipeline with(Record other) {
    return new VoicePipeline((VoiceConfig) other);
  }

  @Override
  public boolean enabled() {
    return config.enabled();
  }

  @Override
  public List<RecordStream> streams() {
    return List.of(messages(), channels());
  }

  private RecordStream messages() {
    return new RecordStream(VoiceRecords.MESSAGES, config.messages());
  }

  private RecordStream channels() {
    return new RecordStream(VoiceRecords.CHANNELS, config.channels());
  }

  @Override
  public List<TableFile> tableFiles(String bootstrapServers) {
    return List.of(new TableFile(config.cellFile(), cells(bootstrapServers)));
  }

  private static TableTopic<CellTable> cells(String bootstrapServers) {
    return new TableTopic<>(
        bootstrapServers, TABLE_TOPIC, TableTopic.DEFAULT_DELAY, new CellTable.Csv());
  }

  @Override
  public int slots(int jobSlots) {
    return config.slots();
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(COMMANDS, CONTROLLERS);
  }

  @Override
  public List<Figure> figures() {
    return List.of(
        new Figure("commands", "commands emitted", GUARD_STEP + '.' + VoiceGuard.COMMANDS),
        new Figure("unknown_cells", "messages of cells missing from the table", UNKNOWN_CELLS),
        new Figure("late_messages", "late messages (window closed)", LATE_MESSAGES),
        new Figure("late_channels", "late channel shares", LATE_CHANNELS));
  }

  /** 1% or more of records that are late or of unknown cells is a problem. */
  @Override
  public List<String> problems(Map<String, Long> counters) {
    List<String> problems = new ArrayList<>();
    long messages = Pipeline.sum(counters, messages().rowsCounter());
    long unknown = Pipeline.sum(counters, UNKNOWN_CELLS);
    if (unknown * 100 > messages) {
      problems.add(
          "voice: %d of %d messages came from cells missing from %s: add them to the file"
              .formatted(unknown, messages, config.cells()));
    }
    long late = Pipeline.sum(counters, LATE_MESSAGES, LATE_CHANNELS);
    if (late * 100 > rowsIn(counters)) {
      problems.add(
          "voice: %d of %d records were late: raise voice.watermark-delay, or find out why their"
                  .formatted(late, rowsIn(counters))
              + " senders are late");
    }
    return problems;
  }

  @Override
  public List<ApiEndpoint> endpoints() {
    return List.of(
        new ApiEndpoint(
            "controllers", (parameters, store) -> new Controllers(store).now(parameters)),
        new ApiEndpoint(
            "commands", (parameters, store) -> new Controllers(store).commands(parameters)));
  }

  @Override
  public List<WebhookConfig> webhooks() {
    return config.posted().stream().toList();
  }

  @Override
  public Optional<String> resultTopic() {
    return Optional.of(config.topic());
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) {
    job.getConfig().setAutoWatermarkInterval(MILLIS_BETWEEN_WATERMARKS);
    VoiceRules rules = config.rules();
    int parallelism = run.parallelism();
    TableTopic<CellTable> cells = cells(run.bootstrapServers());
    DataStream<TableBlock> volumes =
        Analyzers.analyze(
            run.records(job, messages(), config.watermarkDelay()),
            VOLUMES_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            subtask -> new CellVolumes(rules, cells::open));
    SingleOutputStreamOperator<TableBlock> commands =
        Analyzers.analyzeKeyed(
            new KeyedInput<>(volumes, VoiceRecords.BY_CONTROLLER),
            new KeyedInput<>(
                run.records(job, channels(), config.watermarkDelay()), VoiceRecords.BY_CONTROLLER),
            GUARD_STEP,
            BlockTypeInfo.TABLES,
            parallelism,
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new VoiceGuard(rules));
    run.store(commands, COMMANDS);
    run.store(Analyzers.output(commands, VoiceGuard.STATES), CONTROLLERS);
    run.publish(
        commands,
        ResultTopic.inLog(
            run.bootstrapServers(),
            config.topic(),
            "voice.commands",
            VoiceRecords.COMMANDS,
            IDENTITY,
            "time",
            config.release()),
        "voice-commands-topic");
  }
}
