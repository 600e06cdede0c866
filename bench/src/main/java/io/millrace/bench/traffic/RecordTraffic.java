package io.millrace.bench.traffic;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.ExportTemplate;
import io.millrace.wire.netflow.NetflowEncoder;
import java.util.List;

/**
 * The traffic of another source as flow records, NetFlow version 9 or IPFIX: each sampled packet is
 * a record of one packet with the sampling rate in it. Templates come alone, first and then every
 * {@value #TEMPLATES_EVERY} datagrams. Not thread-safe.
 */
public final class RecordTraffic implements DatagramSource {
  /** Datagrams from one with templates to the next. */
  static final int TEMPLATES_EVERY = 500;

  private static final int RECORDS = 14;
  private static final int MOST_BYTES = 2_048;
  private static final int TEMPLATE_V4 = 256;
  private static final int TEMPLATE_V6 = 257;
  private static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.NEXT_HOP,
          FlowColumn.IN_IF,
          FlowColumn.OUT_IF,
          FlowColumn.PACKETS,
          FlowColumn.BYTES,
          FlowColumn.FLOW_START,
          FlowColumn.FLOW_END,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.TCP_FLAGS,
          FlowColumn.PROTO,
          FlowColumn.TOS,
          FlowColumn.SRC_MASK,
          FlowColumn.DST_MASK,
          FlowColumn.SAMPLING_RATE);

  private final DatagramSource source;
  private final int rate;
  private final ExportTemplate templateV4;
  private final ExportTemplate templateV6;
  private final ExportDatagram packets = new ExportDatagram();
  private final Switch[] switches;
  private int pending = -1; // a switch that has records for a datagram

  /** One exporter: what it will send next. */
  private static final class Switch {
    private final NetflowEncoder encoder;
    private final FlowBlock v4 = new FlowBlock(4 * RECORDS);
    private final FlowBlock v6 = new FlowBlock(4 * RECORDS);
    private final SampleColumns truth = new SampleColumns(4 * RECORDS);
    private long startMicros;
    private int samples;
    private int datagrams;

    Switch(int version) {
      encoder = new NetflowEncoder(version, MOST_BYTES);
    }
  }

  /**
   * Records of the packets of a source.
   *
   * @param version 9, or 10 for IPFIX
   * @param rate sampling rate of the source
   */
  public RecordTraffic(DatagramSource source, int version, int rate) {
    this.source = source;
    this.rate = rate;
    templateV4 = ExportTemplate.of(version, TEMPLATE_V4, false, COLUMNS);
    templateV6 = ExportTemplate.of(version, TEMPLATE_V6, true, COLUMNS);
    switches = new Switch[source.exporters()];
    for (int i = 0; i < switches.length; i++) {
      switches[i] = new Switch(version);
    }
  }

  @Override
  public int exporters() {
    return source.exporters();
  }

  @Override
  public int exporterAddress(int exporter) {
    return source.exporterAddress(exporter);
  }

  @Override
  public int networks() {
    return source.networks();
  }

  @Override
  public long asNumber(int network) {
    return source.asNumber(network);
  }

  @Override
  public void next(ExportDatagram out) {
    while (pending < 0) {
      source.next(packets);
      Switch exporter = switches[packets.exporter];
      if (exporter.samples == 0) {
        exporter.v4.clear();
        exporter.v6.clear();
      }
      exporter.truth.copy(packets.truth, packets.firstSample, exporter.samples, packets.samples);
      for (int i = 0; i < packets.samples; i++) {
        add(exporter, exporter.samples + i);
      }
      exporter.samples += packets.samples;
      if (exporter.samples >= RECORDS) {
        pending = packets.exporter;
      }
    }
    Switch exporter = switches[pending];
    NetflowEncoder encoder = exporter.encoder;
    long now = packets.timeMicros;
    if (exporter.startMicros == 0) {
      exporter.startMicros = now - 3_600_000_000L; // it has run for an hour
    }
    encoder.begin(pending, now, (int) ((now - exporter.startMicros) / 1_000));
    out.exporter = pending;
    out.timeMicros = now;
    out.counterSamples = 0;
    out.truth = exporter.truth;
    out.firstSample = 0;
    out.sequence = exporter.datagrams;
    out.samples = 0;
    if (exporter.datagrams++ % TEMPLATES_EVERY == 0) {
      encoder.template(templateV4);
      encoder.template(templateV6);
    } else {
      data(encoder, templateV4, exporter.v4);
      data(encoder, templateV6, exporter.v6);
      out.samples = exporter.samples;
      exporter.samples = 0;
      pending = -1;
    }
    out.length = encoder.finish();
    out.bytes = encoder.bytes();
    out.offset = 0;
  }

  private static void data(NetflowEncoder encoder, ExportTemplate template, FlowBlock rows) {
    if (rows.rows() > 0 && !encoder.data(template, rows, 0, rows.rows())) {
      throw new AssertionError(rows.rows() + " records do not fit");
    }
  }

  private void add(Switch exporter, int sample) {
    SampleColumns truth = exporter.truth;
    boolean isV4 = Addresses.isV4(truth.srcHigh[sample], truth.srcLow[sample]);
    FlowBlock rows = isV4 ? exporter.v4 : exporter.v6;
    int row = rows.rows();
    rows.reserve(1);
    rows.addressHigh(FlowColumn.SRC_ADDR)[row] = truth.srcHigh[sample];
    rows.addressLow(FlowColumn.SRC_ADDR)[row] = truth.srcLow[sample];
    rows.addressHigh(FlowColumn.DST_ADDR)[row] = truth.dstHigh[sample];
    rows.addressLow(FlowColumn.DST_ADDR)[row] = truth.dstLow[sample];
    rows.addressHigh(FlowColumn.NEXT_HOP)[row] = truth.dstHigh[sample];
    rows.addressLow(FlowColumn.NEXT_HOP)[row] = truth.dstLow[sample];
    rows.ints(FlowColumn.PROTO)[row] = truth.protocol[sample];
    rows.ints(FlowColumn.SRC_PORT)[row] = truth.srcPort[sample];
    rows.ints(FlowColumn.DST_PORT)[row] = truth.dstPort[sample];
    rows.ints(FlowColumn.TCP_FLAGS)[row] = truth.tcpFlags[sample];
    rows.ints(FlowColumn.TOS)[row] = truth.tos[sample];
    rows.ints(FlowColumn.IN_IF)[row] = truth.inIf[sample];
    rows.ints(FlowColumn.OUT_IF)[row] = truth.outIf[sample];
    rows.ints(FlowColumn.SRC_MASK)[row] = isV4 ? 24 : 48;
    rows.ints(FlowColumn.DST_MASK)[row] = isV4 ? 24 : 48;
    rows.ints(FlowColumn.SAMPLING_RATE)[row] = rate;
    rows.longs(FlowColumn.BYTES)[row] = truth.ipLength[sample];
    rows.longs(FlowColumn.PACKETS)[row] = 1;
    rows.longs(FlowColumn.FLOW_START)[row] = packets.timeMicros;
    rows.longs(FlowColumn.FLOW_END)[row] = packets.timeMicros;
    rows.rows(row + 1);
  }
}
