package org.example.country;

import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountryCounterTest {
  private static final long MINUTE = 60_000_000;

  @TempDir Path directory;

  /** Adds a flow of one sampled packet. */
  private static void add(FlowBlock flows, long micros, String source, int samplingRate) {
    int row = flows.rows();
    long[] address = new long[2];
    Addresses.parse(source, address);
    flows.longs(FlowColumn.TIME)[row] = micros;
    flows.addressHigh(FlowColumn.SRC_ADDR)[row] = address[0];
    flows.addressLow(FlowColumn.SRC_ADDR)[row] = address[1];
    flows.longs(FlowColumn.PACKETS)[row] = 1;
    flows.ints(FlowColumn.SAMPLING_RATE)[row] = samplingRate;
    flows.rows(row + 1);
  }

  @Test
  void countsPacketsByCountryAndMinute() throws IOException {
    String table = directory.resolve("countries.csv").toString();
    Files.writeString(Path.of(table), "192.0.2.0,192.0.2.255,XA\n198.51.100.0,198.51.100.255,XB\n");
    FlowBlock first = new FlowBlock(8);
    add(first, 1, "192.0.2.1", 100);
    add(first, 2, "198.51.100.1", 10);
    add(first, 3, "192.0.2.2", 1);
    add(first, MINUTE, "192.0.2.1", 5);
    FlowBlock second = new FlowBlock(8);
    add(second, 4, "203.0.113.9", 7);
    FlowBlock late = new FlowBlock(8);
    add(late, 5, "192.0.2.7", 2);

    AnalyzerTester.of(() -> new CountryCounter(table, MINUTE))
        .keyedBy(new CountryOfSource(table))
        .feed(first)
        .feed(second)
        .watermark(MINUTE)
        .feed(late)
        .expect("0 XA 101", "0 XB 10", "0 ?? 7", "0 XA 2", "60000000 XA 5");
  }
}
