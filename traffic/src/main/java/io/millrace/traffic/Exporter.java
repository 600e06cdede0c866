package io.millrace.traffic;

import io.millrace.traffic.model.Packet;
import io.millrace.traffic.model.PacketWriter;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sflow.SflowLayout;

/** A switch: its ports, their counters, and the datagram that is being filled. Not thread-safe. */
final class Exporter {
  private static final int PRIORITY = 0;
  private static final int ETHERNET_CSMACD = 6; // IANAifType
  private static final long PORT_SPEED = 100_000_000_000L;
  private static final int FULL_DUPLEX = 1;
  private static final int UP_AND_UP = 3;
  private static final int PEERING_VLAN = 600;
  private static final int TAGGED_EVERY = 4; // every fourth port is tagged

  private final TrafficConfig.Exporters config;
  private final int number;
  private final long address;
  private final PacketWriter packets;
  private final SflowEncoder encoder;
  private final SampleColumns truth;
  private final int fullSample;
  private final int[] sampleSequence; // by port, from 1
  private final int[] counterSequence;
  private final int[] samplePool;
  private final CounterBlock counters; // a row per port
  private final long counterStepMicros;
  private long nextCounterMicros;
  private int nextCounterPort;
  private int datagramSequence;
  private int samples;
  private int counterSamples;
  private boolean open;

  Exporter(TrafficConfig config, int number, PacketWriter packets) {
    this.config = config.exporters();
    this.number = number;
    this.packets = packets;
    int ports = this.config.portsPerSwitch();
    address = io.millrace.wire.block.Addresses.v4Low(this.config.firstAddress() + number);
    encoder = new SflowEncoder(this.config.maxDatagramBytes() + 256);
    truth = new SampleColumns(this.config.samplesPerDatagram());
    fullSample =
        SflowLayout.TAG_LENGTH
            + SflowLayout.FLOW_SAMPLE_LENGTH
            + SflowLayout.TAG_LENGTH
            + SflowLayout.RAW_HEADER_LENGTH
            + SflowLayout.padded(this.config.headerBytes())
            + (this.config.switchRecords()
                ? SflowLayout.TAG_LENGTH + SflowLayout.EXTENDED_SWITCH_LENGTH
                : 0);
    sampleSequence = new int[ports + 1];
    counterSequence = new int[ports + 1];
    samplePool = new int[ports + 1];
    counters = newCounters(ports);
    counterStepMicros = this.config.counterIntervalSeconds() * 1_000_000L / ports;
    nextCounterMicros =
        counterStepMicros == 0 ? Long.MAX_VALUE : config.startMicros() + counterStepMicros;
  }

  private static CounterBlock newCounters(int ports) {
    CounterBlock block = new CounterBlock(ports);
    for (int row = 0; row < ports; row++) {
      block.ints(CounterColumn.IF_INDEX)[row] = row + 1;
      block.ints(CounterColumn.IF_TYPE)[row] = ETHERNET_CSMACD;
      block.longs(CounterColumn.IF_SPEED)[row] = PORT_SPEED;
      block.ints(CounterColumn.IF_DIRECTION)[row] = FULL_DUPLEX;
      block.ints(CounterColumn.IF_STATUS)[row] = UP_AND_UP;
    }
    block.rows(ports);
    return block;
  }

  void add(Packet packet, int inIf, int outIf, long elapsedMillis) {
    if (!open) {
      open = true;
      encoder.begin(0, address, 0, ++datagramSequence, (int) elapsedMillis);
    }
    boolean tagged = inIf % TAGGED_EVERY == 0;
    int frameLength = PacketWriter.frameLength(packet, tagged);
    int rate = config.samplingRate();
    int pool = samplePool[inIf] += rate;
    encoder.flowSample(++sampleSequence[inIf], 0, inIf, rate, pool, 0, inIf, 0, outIf);
    int headerLength = Math.min(frameLength, config.headerBytes());
    int at =
        encoder.rawHeader(
            SflowLayout.PROTOCOL_ETHERNET,
            frameLength + PacketWriter.CHECK_SEQUENCE,
            PacketWriter.CHECK_SEQUENCE,
            headerLength);
    packets.write(packet, tagged ? PEERING_VLAN : -1, encoder.bytes(), at, headerLength);
    if (config.switchRecords()) {
      encoder.extendedSwitch(PEERING_VLAN, PRIORITY, PEERING_VLAN, PRIORITY);
    }
    truth.set(samples++, packet, inIf, outIf);
    count(inIf, outIf, (long) frameLength + PacketWriter.CHECK_SEQUENCE, rate);
  }

  private void count(int inIf, int outIf, long octets, int packets) {
    counters.longs(CounterColumn.IN_OCTETS)[inIf - 1] += octets * packets;
    counters.ints(CounterColumn.IN_UNICAST)[inIf - 1] += packets;
    if (outIf <= config.portsPerSwitch()) {
      counters.longs(CounterColumn.OUT_OCTETS)[outIf - 1] += octets * packets;
      counters.ints(CounterColumn.OUT_UNICAST)[outIf - 1] += packets;
    }
  }

  boolean isFull() {
    return samples == config.samplesPerDatagram()
        || encoder.length() + fullSample > config.maxDatagramBytes();
  }

  /** Emits the datagram, which is valid until the next {@link #add}. */
  void finish(long timeMicros, ExportDatagram out) {
    if (timeMicros >= nextCounterMicros) {
      nextCounterMicros += counterStepMicros;
      if (nextCounterMicros <= timeMicros) {
        nextCounterMicros = timeMicros + counterStepMicros; // an idle switch skips missed intervals
      }
      int port = nextCounterPort + 1;
      encoder.counterSample(++counterSequence[port], 0, port);
      encoder.interfaceCounters(counters, nextCounterPort);
      counterSamples++;
      nextCounterPort = port % config.portsPerSwitch();
    }
    out.bytes = encoder.bytes();
    out.offset = 0;
    out.length = encoder.length();
    out.exporter = number;
    out.sequence = datagramSequence;
    out.timeMicros = timeMicros;
    out.truth = truth;
    out.firstSample = 0;
    out.samples = samples;
    out.counterSamples = counterSamples;
    samples = 0;
    counterSamples = 0;
    open = false;
  }
}
