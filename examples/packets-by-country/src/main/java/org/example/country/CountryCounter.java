package org.example.country;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.EventTimers;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;

/**
 * Counts packets by country and minute. A minute's row is emitted when the watermark has passed it.
 * A late flow makes one more row of that minute, so nothing is lost: sum them.
 */
public final class CountryCounter implements KeyedAnalyzer<FlowBlock, TableBlock> {
  private final String file;
  private final long windowMicros;
  private Countries countries;
  private KeyTable packets; // country, window → packets
  private EventTimers ends; // when the window of a country is over

  CountryCounter(String file, long windowMicros) {
    this.file = file;
    this.windowMicros = windowMicros;
  }

  @Override
  public void open(AnalyzerContext context) throws IOException {
    countries = new Countries(file);
    packets = new KeyTable(context.keyGroups(), 2, 1);
    ends = new EventTimers(context.keyGroups());
    context.gauge("openWindows", () -> packets.size());
  }

  @Override
  public void process(FlowBlock flows, Emitter<TableBlock> out) {
    long[] country = countries.ofSources(flows);
    long[] time = flows.longs(FlowColumn.TIME);
    long[] count = flows.longs(FlowColumn.PACKETS);
    int[] rate = flows.ints(FlowColumn.SAMPLING_RATE);
    for (int row = 0; row < flows.rows(); row++) {
      long window = time[row] - Math.floorMod(time[row], windowMicros);
      int hash = Hash.of(country[row]);
      int known = packets.size();
      int entry = packets.entry(hash, country[row], window);
      packets.values(0)[entry] += Math.max(0, count[row]) * Math.max(1, rate[row]);
      if (packets.size() > known) {
        ends.set(window + windowMicros - 1, hash, country[row], window);
      }
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    TableBlock rows = new TableBlock(PacketsByCountry.TABLE.schema(), 16);
    ends.fire(
        micros,
        (moment, hash, country, window) -> {
          int entry = packets.find(hash, country, window);
          rows.reserve(1);
          int row = rows.rows();
          rows.longs(0)[row] = window;
          rows.texts(1).add(Countries.text(country));
          rows.longs(2)[row] = packets.values(0)[entry];
          rows.rows(row + 1);
          packets.remove(entry);
        });
    if (rows.rows() > 0) {
      out.emit(rows);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(packets.snapshot(), ends.snapshot());
  }

  @Override
  public void restore(int group, BlockInput in) {
    packets.restore(in);
    ends.restore(in);
  }
}
