package io.millrace.lab.micro;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.sflow.SflowDecoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Decodes sFlow datagrams of seven samples with 128-byte headers from memory to a block. */
public final class SflowBenchmark extends Benchmark {
  private static final int DATAGRAMS = 512;
  private static final int SAMPLES = 7;
  private static final int PASSES = 2_000;
  private static final int ROUNDS = 7;

  public SflowBenchmark() {
    super("wire.sflow", "sFlow datagrams of 7 samples decoded to columns, one thread");
  }

  @Override
  public void run(BenchContext context) throws IOException {
    List<byte[]> datagrams = datagrams();
    SflowDecoder decoder = new SflowDecoder();
    FlowBlock block = new FlowBlock(DATAGRAMS * SAMPLES);
    CounterBlock counters = new CounterBlock(16);
    double rate =
        BenchContext.rate(
            ROUNDS,
            PASSES,
            (long) DATAGRAMS * SAMPLES,
            pass -> {
              block.clear();
              for (byte[] datagram : datagrams) {
                decoder.decode(
                    datagram, 0, datagram.length, pass, 0, 0, block, counters, Rejects.NONE);
              }
            });
    WrongResultException.check("rows", DATAGRAMS * SAMPLES, block.rows());
    context.report(
        Figure.of(name(), "rate", rate, "samples")
            .with("samples_per_datagram", SAMPLES)
            .with("rounds", ROUNDS)
            .aiming(Figure.Target.atLeast(10e6)));
  }

  private static List<byte[]> datagrams() throws IOException {
    TrafficConfig.Exporters plain = TrafficConfig.Exporters.DEFAULT;
    TrafficConfig.Exporters exporters =
        new TrafficConfig.Exporters(
            plain.count(),
            plain.firstAddress(),
            plain.portsPerSwitch(),
            plain.samplingRate(),
            SAMPLES,
            2_048,
            plain.headerBytes(),
            true,
            0);
    TrafficGenerator generator =
        new TrafficGenerator(
            TrafficConfig.defaults(1, 0).withoutRhythm().withExporters(exporters), DemoData.pool());
    ExportDatagram datagram = new ExportDatagram();
    List<byte[]> datagrams = new ArrayList<>();
    while (datagrams.size() < DATAGRAMS) {
      generator.next(datagram);
      if (datagram.samples() == SAMPLES && datagram.counterSamples() == 0) {
        datagrams.add(
            Arrays.copyOfRange(
                datagram.bytes(), datagram.offset(), datagram.offset() + datagram.length()));
      }
    }
    return datagrams;
  }
}
