package org.example.country;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.Analyzers;
import io.millrace.pipelines.FlowPipeline;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Number of packets that the sources in each country send in each minute. */
public record PacketsByCountry(Settings config) implements FlowPipeline {
  static final String NAME = "packets_by_country";
  static final ResultSpec TABLE =
      ResultSpec.of(
          NAME, TableSchema.builder().time("minute").text("country").number("packets").build());

  /** The section packets_by_country of the configuration. */
  public record Settings(Path table, Duration window) {
    /** Rejects what cannot be counted. */
    public Settings {
      if (window.toSeconds() < 1 || window.toHours() > 1) {
        throw new IllegalArgumentException("window: " + window + " is not 1s to 1h");
      }
    }
  }

  /** With the default settings. */
  public PacketsByCountry() {
    this(new Settings(Path.of("countries.csv"), Duration.ofMinutes(1)));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public PacketsByCountry with(Record settings) {
    return new PacketsByCountry((Settings) settings);
  }

  @Override
  public List<ResultSpec> tables() {
    return List.of(TABLE);
  }

  @Override
  public String inCounter() {
    return "packets-by-country.rowsIn";
  }

  @Override
  public void addTo(DataStream<FlowBlock> flows, Run run) {
    // The analyzers travel with the job: they take texts and numbers, and not this value.
    String table = config.table().toAbsolutePath().toString();
    if (!Files.isReadable(config.table())) {
      throw new IllegalArgumentException(
          NAME + ".table: cannot read " + table + "; name a CSV file of start,end,country");
    }
    long windowMicros = config.window().toNanos() / 1_000;
    DataStream<TableBlock> counts =
        Analyzers.analyzeKeyed(
            flows,
            new CountryOfSource(table),
            "packets-by-country",
            BlockTypeInfo.TABLES,
            run.parallelism(),
            Optional.of(Run.IDLE_TIMEOUT),
            subtask -> new CountryCounter(table, windowMicros));
    run.store(counts, TABLE);
  }
}
