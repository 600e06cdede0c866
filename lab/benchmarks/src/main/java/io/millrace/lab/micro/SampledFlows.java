package io.millrace.lab.micro;

import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.sflow.SflowDecoder;
import java.io.IOException;

/** Blocks of sampled packets of an exchange point, decoded from sFlow. */
final class SampledFlows {
  private static final int EXPORTER = 0x0A00_0001;

  private SampledFlows() {}

  static FlowBlock block(int rows) throws IOException {
    return block(rows, DemoData.pool());
  }

  static FlowBlock block(int rows, RangeAddressPool pool) {
    TrafficGenerator generator =
        new TrafficGenerator(TrafficConfig.defaults(1, 0).withoutRhythm(), pool);
    ExportDatagram datagram = new ExportDatagram();
    SflowDecoder decoder = new SflowDecoder();
    FlowBlock block = new FlowBlock(rows + 64);
    while (block.rows() < rows) {
      generator.next(datagram);
      decoder.decode(
          datagram.bytes(),
          datagram.offset(),
          datagram.length(),
          System.currentTimeMillis() * 1_000,
          0,
          Addresses.v4Low(EXPORTER),
          block,
          null,
          Rejects.NONE);
    }
    block.rows(rows);
    return block;
  }
}
