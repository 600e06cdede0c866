package org.example.country;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.plugin.FlowAnalysis;
import io.millrace.analytics.plugin.FlowKeys;
import io.millrace.analytics.plugin.Settings;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The plugin: how many packets the sources in each country send in each minute. */
public final class PacketsByCountry implements FlowAnalysis {
  static final TableSchema RESULT =
      TableSchema.builder().time("minute").text("country").number("packets").build();

  @Override
  public String name() {
    return "packets_by_country";
  }

  @Override
  public TableSchema result() {
    return RESULT;
  }

  @Override
  public Optional<FlowKeys> keys() {
    return Optional.of(
        new FlowKeys("country of the source", settings -> byCountry(table(settings))));
  }

  @Override
  public CountryCounter create(Settings settings) {
    return new CountryCounter(table(settings), settings.numberOr("seconds", 60, 1, 3_600));
  }

  private static Path table(Settings settings) {
    return settings.path("table", "name a CSV file of start,end,country");
  }

  /** All flows of a country come to the same copy of the analyzer. */
  static RowKeys<FlowBlock> byCountry(Path table) throws IOException {
    Countries countries = new Countries(table);
    return (block, hashes) -> {
      long[] codes = countries.ofSources(block);
      for (int row = 0; row < block.rows(); row++) {
        hashes[row] = Hash.of(codes[row]);
      }
    };
  }
}
