package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.traffic.model.Attack;
import io.millrace.traffic.model.DayRhythm;
import io.millrace.traffic.model.NamedAddress;
import io.millrace.traffic.model.NetworkRange;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.sflow.SflowDecoder;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TrafficGeneratorTest {
  private static final long START = 1_780_000_000_000_000L;
  private static final TrafficConfig QUIET =
      TrafficConfig.defaults(7, START).withAttacks(List.of());

  private static RangeAddressPool pool;

  @BeforeAll
  static void readPool() throws IOException {
    pool = DemoData.pool();
  }

  @Test
  void sameSeedGivesSameBytes() {
    TrafficConfig config = TrafficConfig.defaults(7, START);
    assertThat(checksum(config)).isEqualTo(checksum(config));
    assertThat(checksum(TrafficConfig.defaults(8, START))).isNotEqualTo(checksum(config));
  }

  private static long checksum(TrafficConfig config) {
    TrafficGenerator generator = new TrafficGenerator(config, pool);
    ExportDatagram datagram = new ExportDatagram();
    CRC32 sum = new CRC32();
    for (int i = 0; i < 5000; i++) {
      generator.next(datagram);
      sum.update(datagram.bytes(), datagram.offset(), datagram.length());
    }
    return sum.getValue();
  }

  @Test
  void decodesToTheGeneratedSamples() {
    List<Attack> attacks =
        Arrays.stream(Attack.Kind.values()).map(k -> new Attack(k, 0, 60_000_000, 0.1)).toList();
    assertDecodesTo(new TrafficGenerator(QUIET.withAttacks(attacks), pool), 20_000);
  }

  private static void assertDecodesTo(DatagramSource source, int count) {
    SflowDecoder decoder = new SflowDecoder();
    ExportDatagram datagram = new ExportDatagram();
    FlowBlock block = new FlowBlock(64);
    CounterBlock counters = new CounterBlock(16);
    int[] sequences = new int[source.exporters()];
    int counterRows = 0;
    long lastTime = 0;
    for (int n = 0; n < count; n++) {
      source.next(datagram);
      assertThat(datagram.sequence()).isEqualTo(++sequences[datagram.exporter()]);
      assertThat(BigEndian.i32(datagram.bytes(), datagram.offset() + 16))
          .isEqualTo(datagram.sequence());
      assertThat(datagram.timeMicros()).isGreaterThanOrEqualTo(lastTime);
      lastTime = datagram.timeMicros();
      assertThat(datagram.length()).isLessThanOrEqualTo(1472 + 116);
      long sender = Addresses.v4Low(source.exporterAddress(datagram.exporter()));
      block.clear();
      counters.rows(0);
      decoder.decode(
          datagram.bytes(),
          datagram.offset(),
          datagram.length(),
          datagram.timeMicros(),
          0,
          sender,
          block,
          counters,
          (reason, offset) -> {
            throw new AssertionError(reason + " at " + offset);
          });
      assertThat(block.rows()).isEqualTo(datagram.samples());
      assertThat(counters.rows()).isEqualTo(datagram.counterSamples());
      counterRows += counters.rows();
      assertRowsEqual(datagram, block);
    }
    assertThat(counterRows).isPositive();
  }

  private static void assertRowsEqual(ExportDatagram datagram, FlowBlock block) {
    SampleColumns truth = datagram.truth();
    for (int row = 0; row < block.rows(); row++) {
      int i = datagram.firstSample() + row;
      long[] found = {
        block.addressHigh(FlowColumn.SRC_ADDR)[row],
        block.addressLow(FlowColumn.SRC_ADDR)[row],
        block.addressHigh(FlowColumn.DST_ADDR)[row],
        block.addressLow(FlowColumn.DST_ADDR)[row],
        block.ints(FlowColumn.PROTO)[row],
        block.ints(FlowColumn.SRC_PORT)[row],
        block.ints(FlowColumn.DST_PORT)[row],
        block.longs(FlowColumn.BYTES)[row],
        block.ints(FlowColumn.TCP_FLAGS)[row],
        block.ints(FlowColumn.TOS)[row],
        block.ints(FlowColumn.IN_IF)[row],
        block.ints(FlowColumn.OUT_IF)[row],
        block.ints(FlowColumn.SRC_VLAN)[row],
        block.ints(FlowColumn.SAMPLING_RATE)[row],
      };
      long[] meant = {
        truth.srcHigh(i),
        truth.srcLow(i),
        truth.dstHigh(i),
        truth.dstLow(i),
        truth.protocol(i),
        truth.srcPort(i),
        truth.dstPort(i),
        truth.ipLength(i),
        truth.tcpFlags(i),
        truth.tos(i),
        truth.inIf(i),
        truth.outIf(i),
        600,
        16_384,
      };
      assertThat(found).isEqualTo(meant);
    }
  }

  @Test
  void addressesBelongToTheirNetworks() {
    NetworkIndex index = new NetworkIndex();
    TrafficGenerator generator = new TrafficGenerator(QUIET, pool);
    ExportDatagram datagram = new ExportDatagram();
    for (int n = 0; n < 2000; n++) {
      generator.next(datagram);
      SampleColumns truth = datagram.truth();
      for (int i = 0; i < datagram.samples(); i++) {
        assertThat(index.asNumber(truth.srcHigh(i), truth.srcLow(i)))
            .isEqualTo(generator.asNumber(truth.srcNetwork(i)));
        assertThat(index.asNumber(truth.dstHigh(i), truth.dstLow(i)))
            .isEqualTo(generator.asNumber(truth.dstNetwork(i)));
      }
    }
  }

  private static final class NetworkIndex {
    private final List<NetworkRange> ranges;

    NetworkIndex() {
      try {
        ranges = DemoData.networks();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    long asNumber(long high, long low) {
      return ranges.stream()
          .filter(r -> r.contains(high, low))
          .findFirst()
          .orElseThrow()
          .asNumber();
    }
  }

  @Test
  void sharesAreThoseOfTheConfiguration() throws IOException {
    TrafficGenerator generator = new TrafficGenerator(QUIET, pool);
    ExportDatagram datagram = new ExportDatagram();
    Set<List<Long>> named = new HashSet<>();
    for (NamedAddress name : DemoData.names(DemoData.networks())) {
      named.add(List.of(name.high(), name.low()));
    }
    long samples = 0;
    long v6 = 0;
    long withName = 0;
    long small = 0;
    long medium = 0;
    long large = 0;
    long tcp = 0;
    long udp = 0;
    while (samples < 200_000) {
      generator.next(datagram);
      SampleColumns truth = datagram.truth();
      for (int i = 0; i < datagram.samples(); i++, samples++) {
        boolean six = !Addresses.isV4(truth.srcHigh(i), truth.srcLow(i));
        v6 += six ? 1 : 0;
        withName += named.contains(List.of(truth.srcHigh(i), truth.srcLow(i))) ? 1 : 0;
        int length = truth.ipLength(i) - (six ? 20 : 0);
        small += length >= 40 && length <= 64 ? 1 : 0;
        medium += length >= 536 && length <= 596 ? 1 : 0;
        large += length >= 1200 ? 1 : 0;
        tcp += truth.protocol(i) == 6 ? 1 : 0;
        udp += truth.protocol(i) == 17 ? 1 : 0;
      }
    }
    assertThat(share(v6, samples)).isBetween(0.10, 0.14);
    assertThat(share(withName, samples)).isBetween(0.65, 0.75);
    assertThat(share(small, samples)).isBetween(0.25, 0.45);
    assertThat(share(medium, samples)).isBetween(0.06, 0.14);
    assertThat(share(large, samples)).isBetween(0.40, 0.60);
    assertThat(share(small + medium + large, samples)).isGreaterThan(0.9);
    assertThat(share(tcp, samples)).isBetween(0.60, 0.75);
    assertThat(share(udp, samples)).isBetween(0.25, 0.40);
  }

  @Test
  void heaviestNetworkHasItsShareByZipf() {
    TrafficGenerator generator = new TrafficGenerator(QUIET, pool);
    TruthCounter truth = new TruthCounter(generator);
    count(generator, truth, 200_000);
    long google = 0;
    long sum = 0;
    for (TruthCounter.Pair pair : truth.pairs()) {
      sum += pair.samples();
      google += pair.srcAs() == 15169 || pair.dstAs() == 15169 ? pair.samples() : 0;
    }
    double harmonic = 0;
    for (int rank = 1; rank <= generator.networks(); rank++) {
      harmonic += 1.0 / rank;
    }
    assertThat(sum).isEqualTo(truth.samples());
    assertThat(share(google, sum)).isBetween(0.85 / harmonic, 1.25 / harmonic);
  }

  @Test
  void truthAddsUp() {
    TrafficGenerator generator = new TrafficGenerator(QUIET, pool);
    TruthCounter truth = new TruthCounter(generator);
    count(generator, truth, 50_000);
    long samples = 0;
    long bytes = 0;
    long datagrams = 0;
    for (int i = 0; i < generator.exporters(); i++) {
      assertThat(truth.samples(i)).isPositive();
      samples += truth.samples(i);
      bytes += truth.bytes(i);
      datagrams += truth.datagrams(i);
    }
    assertThat(samples).isEqualTo(truth.samples());
    assertThat(bytes)
        .isEqualTo(truth.bytes())
        .isEqualTo(Arrays.stream(truth.pairs()).mapToLong(TruthCounter.Pair::bytes).sum());
    assertThat(datagrams).isEqualTo(truth.datagrams());
  }

  @Test
  void rateFollowsTheDay() {
    long day = 86_400_000_000L;
    long midnight = START / day * day;
    double evening = samplesPerSecondAt(midnight + day * 20 / 24);
    double night = samplesPerSecondAt(midnight + day * 4 / 24);
    assertThat(evening / night).isBetween(2.5, 6.0);
    double mean = 0;
    for (int minute = 0; minute < 1440; minute++) {
      mean += DayRhythm.factor(midnight + minute * 60_000_000L) / 1440;
    }
    assertThat(mean).isBetween(0.999, 1.001);
  }

  private static double samplesPerSecondAt(long startMicros) {
    TrafficGenerator generator =
        new TrafficGenerator(TrafficConfig.defaults(1, startMicros).withAttacks(List.of()), pool);
    TruthCounter truth = new TruthCounter(generator);
    long end = count(generator, truth, 50_000);
    return truth.samples() * 1e6 / (end - startMicros);
  }

  @Test
  void attackBeginsAndEnds() {
    Attack flood = new Attack(Attack.Kind.UDP_FLOOD, 2_000_000, 3_000_000, 0.5);
    TrafficConfig config =
        QUIET.withAttacks(List.of(flood)).withSamplesPerSecond(10_000).withoutRhythm();
    TrafficGenerator generator = new TrafficGenerator(config, pool);
    ExportDatagram datagram = new ExportDatagram();
    java.util.Map<Long, Long> during = new java.util.HashMap<>();
    java.util.Map<Long, Long> around = new java.util.HashMap<>();
    long elapsed = 0;
    while (elapsed < 7_000_000) {
      generator.next(datagram);
      elapsed = datagram.timeMicros() - START;
      boolean on = elapsed >= flood.startMicros() && elapsed < flood.endMicros();
      for (int i = 0; i < datagram.samples(); i++) {
        (on ? during : around).merge(datagram.truth().dstLow(i), 1L, Long::sum);
      }
    }
    var victim =
        during.entrySet().stream().max(java.util.Map.Entry.comparingByValue()).orElseThrow();
    assertThat(victim.getValue()).isBetween(14_000L, 16_000L);
    assertThat(around.getOrDefault(victim.getKey(), 0L)).isLessThan(100);
  }

  @Test
  void checksumsAreRight() {
    TrafficGenerator generator = new TrafficGenerator(QUIET, pool);
    ExportDatagram datagram = new ExportDatagram();
    int whole = 0;
    for (int n = 0; n < 2000; n++) {
      generator.next(datagram);
      int at = 28;
      for (int i = 0; i < datagram.samples(); i++) {
        int frame = at + 40 + 24;
        byte[] b = datagram.bytes();
        boolean tagged = BigEndian.u16(b, frame + 12) == 0x8100;
        int ip = frame + (tagged ? 18 : 14);
        int headerLength = BigEndian.i32(b, at + 60);
        boolean six = b[ip] >>> 4 == 6;
        if (!six) {
          assertThat(sum(b, ip, 20, 0)).isEqualTo(0xFFFF);
        }
        int length = datagram.truth().ipLength(i);
        if (ip + length <= frame + headerLength) {
          int header = six ? 40 : 20;
          int protocol = datagram.truth().protocol(i);
          int addresses = six ? 8 : 12;
          long pseudo =
              protocol == 1
                  ? 0
                  : raw(b, ip + addresses, header - addresses) + protocol + length - header;
          assertThat(sum(b, ip + header, length - header, pseudo)).isEqualTo(0xFFFF);
          whole++;
        }
        at += 8 + BigEndian.i32(b, at + 4);
      }
    }
    assertThat(whole).isGreaterThan(1000);
  }

  private static long raw(byte[] bytes, int at, int length) {
    long sum = 0;
    for (int i = 0; i < length; i++) {
      sum += (long) (bytes[at + i] & 255) << (i % 2 == 0 ? 8 : 0);
    }
    return sum;
  }

  private static long sum(byte[] bytes, int at, int length, long more) {
    long sum = raw(bytes, at, length) + more;
    while (sum > 0xFFFF) {
      sum = (sum >>> 16) + (sum & 0xFFFF);
    }
    return sum;
  }

  private static long count(DatagramSource source, TruthCounter truth, long samples) {
    ExportDatagram datagram = new ExportDatagram();
    while (truth.samples() < samples) {
      source.next(datagram);
      truth.add(datagram);
    }
    return datagram.timeMicros();
  }

  private static double share(long part, long whole) {
    return (double) part / whole;
  }
}
