package io.millrace.traffic;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.ExportTemplate;
import io.millrace.wire.netflow.Netflow5Encoder;
import io.millrace.wire.netflow.NetflowEncoder;
import io.millrace.wire.netflow.NetflowLayout;
import java.util.List;

/**
 * The traffic of another source as NetFlow or IPFIX flow records: each sampled packet becomes a
 * record of one packet. In version 9 and IPFIX, the sampling rate is in the record, and templates
 * are sent in separate datagrams, at the start and then every {@value #TEMPLATES_EVERY} datagrams.
 * In version 5, the rate is in the header, and IPv6 packets, which it does not support, are
 * omitted. Not thread-safe.
 */
public final class RecordTraffic extends DerivedSource {
  /** Period of templates, in datagrams. */
  static final int TEMPLATES_EVERY = 500;

  /** Maximum rate in version 5's header. */
  public static final int V5_MAX_RATE = (1 << 14) - 1;

  private static final int V5_SAMPLING_MODE = 1 << 14; // deterministic: 1 in N
  private static final int V5_MAX_RECORDS = 30;
  private static final int RECORDS = 14;
  private static final int MAX_BYTES = 2_048;
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

  private final boolean isVersion5;
  private final int rate;
  private final int packetsEach;
  private final ExportTemplate templateV4;
  private final ExportTemplate templateV6;
  private final ExportDatagram packets = new ExportDatagram();
  private final Switch[] switches;
  private int pending = -1; // a switch with records for a datagram

  private static final class Switch {
    private final NetflowEncoder encoder;
    private final Netflow5Encoder encoder5 = new Netflow5Encoder();
    private final FlowBlock v4 = new FlowBlock(4 * RECORDS);
    private final FlowBlock v6 = new FlowBlock(4 * RECORDS);
    private final SampleColumns truth = new SampleColumns(4 * RECORDS);
    private long startMicros;
    private int samples;
    private int datagrams;
    private int
        records; // number of records; counted here for version 5, whose encoder does not count them

    Switch(int version) {
      encoder = new NetflowEncoder(version, MAX_BYTES);
    }
  }

  /**
   * Creates records of single packets from a source.
   *
   * @param version 5, 9, or 10 for IPFIX
   * @param rate sampling rate of the source; 1 to 16,383 in version 5
   */
  public RecordTraffic(DatagramSource source, int version, int rate) {
    this(source, version, rate, 1);
  }

  /**
   * Creates records from a source, each of several packets with the length of the sampled one.
   *
   * @param packetsEach packets per record, at least 1
   */
  public RecordTraffic(DatagramSource source, int version, int rate, int packetsEach) {
    super(source);
    this.rate = rate;
    this.packetsEach = packetsEach;
    isVersion5 = version == NetflowLayout.VERSION_5;
    if (isVersion5 && (rate < 1 || rate > V5_MAX_RATE)) {
      throw new IllegalArgumentException(
          "rate: " + rate + ", expected 1 to " + V5_MAX_RATE + " in version 5");
    }
    int withTemplates = isVersion5 ? NetflowLayout.VERSION_9 : version;
    templateV4 = ExportTemplate.of(withTemplates, TEMPLATE_V4, false, COLUMNS);
    templateV6 = ExportTemplate.of(withTemplates, TEMPLATE_V6, true, COLUMNS);
    switches = new Switch[source.exporters()];
    for (int i = 0; i < switches.length; i++) {
      switches[i] = new Switch(withTemplates);
    }
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
      for (int i = 0; i < packets.samples; i++) {
        take(exporter, packets.firstSample + i);
      }
      if (exporter.samples >= RECORDS) {
        pending = packets.exporter;
      }
    }
    Switch exporter = switches[pending];
    long now = packets.timeMicros;
    if (exporter.startMicros == 0) {
      exporter.startMicros = now - 3_600_000_000L; // the exporter started an hour ago
    }
    int uptimeMillis = (int) ((now - exporter.startMicros) / 1_000);
    out.exporter = pending;
    out.timeMicros = now;
    out.counterSamples = 0;
    out.truth = exporter.truth;
    out.firstSample = 0;
    out.sequence = exporter.datagrams;
    out.samples = 0;
    out.offset = 0;
    if (isVersion5) {
      version5(exporter, now, uptimeMillis, out);
    } else {
      withTemplates(exporter, now, uptimeMillis, out);
    }
    exporter.datagrams++;
  }

  private void version5(Switch exporter, long now, int uptimeMillis, ExportDatagram out) {
    Netflow5Encoder encoder = exporter.encoder5;
    int records = exporter.samples;
    if (records > V5_MAX_RECORDS) {
      throw new AssertionError(records + " records do not fit");
    }
    int sampling = V5_SAMPLING_MODE | rate;
    out.length =
        encoder.encode(
            pending & 0xFFFF,
            exporter.records,
            now,
            uptimeMillis,
            sampling,
            exporter.v4,
            0,
            records);
    out.bytes = encoder.bytes();
    exporter.records += records;
    sent(exporter, out);
  }

  private void withTemplates(Switch exporter, long now, int uptimeMillis, ExportDatagram out) {
    NetflowEncoder encoder = exporter.encoder;
    encoder.begin(pending, now, uptimeMillis);
    if (exporter.datagrams % TEMPLATES_EVERY == 0) {
      encoder.template(templateV4);
      encoder.template(templateV6);
    } else {
      data(encoder, templateV4, exporter.v4);
      data(encoder, templateV6, exporter.v6);
      sent(exporter, out);
    }
    out.length = encoder.finish();
    out.bytes = encoder.bytes();
  }

  private void sent(Switch exporter, ExportDatagram out) {
    out.samples = exporter.samples;
    exporter.samples = 0;
    pending = -1;
  }

  private static void data(NetflowEncoder encoder, ExportTemplate template, FlowBlock rows) {
    if (rows.rows() > 0 && !encoder.data(template, rows, 0, rows.rows())) {
      throw new AssertionError(rows.rows() + " records do not fit");
    }
  }

  private void take(Switch exporter, int packet) {
    SampleColumns from = packets.truth;
    boolean isV4 = Addresses.isV4(from.srcHigh[packet], from.srcLow[packet]);
    if (isV4 || !isVersion5) {
      exporter.truth.copy(from, packet, exporter.samples, 1);
      add(exporter, exporter.samples++, isV4);
    }
  }

  private void add(Switch exporter, int sample, boolean isV4) {
    SampleColumns truth = exporter.truth;
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
    rows.longs(FlowColumn.BYTES)[row] = (long) truth.ipLength[sample] * packetsEach;
    rows.longs(FlowColumn.PACKETS)[row] = packetsEach;
    rows.longs(FlowColumn.FLOW_START)[row] = packets.timeMicros;
    rows.longs(FlowColumn.FLOW_END)[row] = packets.timeMicros;
    rows.rows(row + 1);
  }
}
