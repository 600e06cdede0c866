package io.millrace.traffic.model;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Configuration of the traffic generator. The same configuration and address pool give the same
 * bytes.
 *
 * @param seed of all random choices
 * @param startMicros model time of the first sample, microseconds since the epoch
 * @param samplesPerSecond mean rate of all exporters in model time; above 0
 * @param rhythm whether the rate follows {@link DayRhythm}; otherwise it is constant
 * @param exporters the switches that sample
 * @param mix mix of conversations
 * @param attacks attacks, in order of precedence
 */
@RecordBuilder
public record TrafficConfig(
    long seed,
    long startMicros,
    double samplesPerSecond,
    boolean rhythm,
    Exporters exporters,
    Mix mix,
    List<Attack> attacks)
    implements TrafficConfigBuilder.With {
  public TrafficConfig {
    attacks = List.copyOf(attacks);
    check(samplesPerSecond > 0, "samplesPerSecond", samplesPerSecond, "above 0");
  }

  /** An exchange point of four switches at 20,000 samples/s that starts at {@code startMicros}. */
  public static TrafficConfig defaults(long seed, long startMicros) {
    return new TrafficConfig(
        seed, startMicros, 20_000, true, Exporters.DEFAULT, Mix.DEFAULT, someAttacks());
  }

  /** Configuration for benchmarks: {@code exporters} exporters at a constant rate from now on. */
  public static TrafficConfig steady(int exporters) {
    return defaults(1, System.currentTimeMillis() * 1_000)
        .withoutRhythm()
        .withExporters(Exporters.DEFAULT.withCount(exporters));
  }

  /** Three attacks in the first two minutes, one of each kind. */
  public static List<Attack> someAttacks() {
    return List.of(
        new Attack(Attack.Kind.UDP_FLOOD, 20_000_000, 30_000_000, 0.08),
        new Attack(Attack.Kind.SYN_SCAN, 40_000_000, 60_000_000, 0.02),
        new Attack(Attack.Kind.DNS_AMPLIFICATION, 80_000_000, 40_000_000, 0.06));
  }

  /** A copy with a constant rate. */
  public TrafficConfig withoutRhythm() {
    return withRhythm(false);
  }

  /**
   * Switches of the exchange point and their sampling.
   *
   * @param count number of switches, 1 to 60,000
   * @param firstAddress IPv4 address of the first switch; the others have consecutive addresses
   * @param portsPerSwitch interfaces of each, 1 to 1000, numbered from 1
   * @param samplingRate N of the sampling rate 1 in N
   * @param samplesPerDatagram maximum number of flow samples in a datagram
   * @param maxDatagramBytes maximum size; a datagram is sent if another full sample might exceed it
   * @param headerBytes sampled bytes of a frame, 80 to 256
   * @param switchRecords whether each sample carries the VLANs in an extended switch record
   * @param counterIntervalSeconds interval of an interface's counters in model time; 0 for none
   */
  @RecordBuilder
  public record Exporters(
      int count,
      int firstAddress,
      int portsPerSwitch,
      int samplingRate,
      int samplesPerDatagram,
      int maxDatagramBytes,
      int headerBytes,
      boolean switchRecords,
      int counterIntervalSeconds)
      implements TrafficConfigExportersBuilder.With {
    /** Four switches at 127.0.0.11 and up, 1 in 16,384, datagrams that fit into Ethernet frames. */
    public static final Exporters DEFAULT =
        new Exporters(4, 0x7F00_000B, 32, 16_384, 7, 1472, 128, true, 30);

    public Exporters {
      check(count >= 1 && count <= 60_000, "count", count, "1 to 60000");
      check(
          portsPerSwitch >= 1 && portsPerSwitch <= 1000,
          "portsPerSwitch",
          portsPerSwitch,
          "1 to 1000");
      check(samplingRate >= 1, "samplingRate", samplingRate, "1 or more");
      check(
          samplesPerDatagram >= 1 && samplesPerDatagram <= 64,
          "samplesPerDatagram",
          samplesPerDatagram,
          "1 to 64");
      check(
          maxDatagramBytes >= 512 && maxDatagramBytes <= 32_768,
          "maxDatagramBytes",
          maxDatagramBytes,
          "512 to 32768");
      check(headerBytes >= 80 && headerBytes <= 256, "headerBytes", headerBytes, "80 to 256");
      check(
          counterIntervalSeconds >= 0,
          "counterIntervalSeconds",
          counterIntervalSeconds,
          "0 or more");
    }
  }

  /**
   * Mix of conversations.
   *
   * @param networks number of member networks, heavy ones first; fewer if the pool has fewer
   * @param zipfExponent of the networks' weights: the one of rank r has weight r^-exponent
   * @param v6Share share of the conversations over IPv6, 0 to 1
   * @param namedShare share of hosts with a reverse name, in networks that have any, 0 to 1
   * @param mouseShare share of samples from conversations with a single sample, 0 to 1
   * @param elephants number of concurrent conversations that are sampled repeatedly
   * @param content AS numbers of the networks that send most, heaviest first
   * @param access AS numbers of the networks whose users receive most, heaviest first
   */
  @RecordBuilder
  public record Mix(
      int networks,
      double zipfExponent,
      double v6Share,
      double namedShare,
      double mouseShare,
      int elephants,
      List<Long> content,
      List<Long> access)
      implements TrafficConfigMixBuilder.With {
    /** Four thousand networks, as at a large European exchange point. */
    public static final Mix DEFAULT =
        new Mix(
            4000,
            1.0,
            0.12,
            0.70,
            0.35,
            8192,
            List.of(
                15169L, 20940L, 2906L, 32934L, 16509L, 13335L, 8075L, 54113L, 714L, 46489L, 16276L,
                24940L, 60068L, 22822L, 36183L, 138699L, 32590L, 6185L, 40027L, 63949L),
            List.of(
                3320L, 3209L, 6805L, 12322L, 3215L, 6830L, 2856L, 7922L, 3269L, 8881L, 5410L, 5607L,
                3352L, 12479L, 1136L, 33915L, 3303L, 8447L, 5617L, 9121L, 4134L, 9829L, 55836L,
                701L, 7018L));

    public Mix {
      content = List.copyOf(content);
      access = List.copyOf(access);
      check(networks >= 2, "networks", networks, "2 or more");
      check(zipfExponent >= 0, "zipfExponent", zipfExponent, "0 or more");
      check(v6Share >= 0 && v6Share <= 1, "v6Share", v6Share, "0 to 1");
      check(namedShare >= 0 && namedShare <= 1, "namedShare", namedShare, "0 to 1");
      check(mouseShare >= 0 && mouseShare <= 1, "mouseShare", mouseShare, "0 to 1");
      check(elephants >= 1, "elephants", elephants, "1 or more");
    }
  }

  private static void check(boolean fine, String key, double value, String allowed) {
    if (!fine) {
      throw new IllegalArgumentException(key + ": " + value + ", expected " + allowed);
    }
  }
}
