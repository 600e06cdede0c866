package org.example.country;

import io.millrace.analytics.plugin.FlowAnalysis;
import io.millrace.analytics.plugin.FlowKeys;
import io.millrace.analytics.plugin.Settings;
import io.millrace.wire.block.TableSchema;
import java.util.Optional;

/** The plugin: how many packets each country sends in each minute. */
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
    return Optional.of(new FlowKeys("source network", CountryCounter.KEYS));
  }

  @Override
  public CountryCounter create(Settings settings) {
    return new CountryCounter(
        settings.path("table", "name a CSV file of start,end,country"),
        settings.numberOr("seconds", 60, 1, 3_600));
  }
}
