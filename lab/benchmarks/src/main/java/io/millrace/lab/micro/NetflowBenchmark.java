package io.millrace.lab.micro;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.RecordTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Decodes flow records of 17 fields, in datagrams of an exchange point, from memory to a block. */
public final class NetflowBenchmark extends Benchmark {
  private static final int DATAGRAMS = 256;
  private static final int PASSES = 2_000;
  private static final int ROUNDS = 7;
  private static final int SAMPLING_RATE = 1_000;
  private static final long EXPORTER = 0xFFFF_0A00_0001L;

  private final int version;

  /**
   * @param version 9, or 10 for IPFIX
   */
  public NetflowBenchmark(int version) {
    super(
        version == 9 ? "wire.netflow9" : "wire.ipfix",
        (version == 9 ? "NetFlow v9" : "IPFIX") + " records decoded to columns, one thread");
    this.version = version;
  }

  @Override
  public void run(BenchContext context) throws IOException {
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    List<byte[]> datagrams = new ArrayList<>();
    int records = datagrams(decoder, datagrams);
    FlowBlock block = new FlowBlock(records);
    double rate =
        BenchContext.rate(
            ROUNDS,
            PASSES,
            records,
            pass -> {
              block.clear();
              for (byte[] datagram : datagrams) {
                decode(decoder, datagram, pass, block);
              }
            });
    WrongResultException.check("rows", records, block.rows());
    context.report(
        Figure.of(name(), "rate", rate, "records")
            .with("records_per_datagram", records / DATAGRAMS)
            .with("rounds", ROUNDS)
            .aiming(Figure.Target.atLeast(10e6)));
  }

  /**
   * Fills the list with data datagrams of one exporter and returns their number of records. The
   * decoder receives the templates.
   */
  private int datagrams(NetflowDecoder decoder, List<byte[]> datagrams) throws IOException {
    TrafficGenerator packets =
        new TrafficGenerator(TrafficConfig.defaults(1, 0).withoutRhythm(), DemoData.pool());
    RecordTraffic source = new RecordTraffic(packets, version, SAMPLING_RATE);
    ExportDatagram datagram = new ExportDatagram();
    FlowBlock unused = new FlowBlock(64);
    int records = 0;
    while (datagrams.size() < DATAGRAMS) {
      source.next(datagram);
      if (datagram.exporter() != 0) {
        continue;
      }
      byte[] bytes =
          Arrays.copyOfRange(
              datagram.bytes(), datagram.offset(), datagram.offset() + datagram.length());
      if (datagram.samples() == 0) {
        decode(decoder, bytes, 0, unused);
      } else {
        datagrams.add(bytes);
        records += datagram.samples();
      }
    }
    return records;
  }

  private static void decode(NetflowDecoder decoder, byte[] bytes, long time, FlowBlock block) {
    decoder.decode(bytes, 0, bytes.length, time, 0, EXPORTER, 2055, block, Observations.NONE);
  }
}
