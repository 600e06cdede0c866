package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.DistinctCount;
import io.millrace.analytics.sketch.TopValues;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.LongFunction;

/**
 * Traffic profile of one key since it became a candidate, bounded to one to two kilobytes. Weights
 * are in the measure of the hitters. Not thread-safe.
 */
final class CandidateDetails {
  private static final int PORTS = 16;
  private static final int PROTOCOLS = 4;
  private static final int COUNTRIES = 8;
  private static final List<String> FLAGS = List.of("FIN", "SYN", "RST", "PSH", "ACK", "URG");
  private static final int REPORTED = 5;
  private static final int PORT_BITS = 16;

  private final DistinctCount sources = new DistinctCount();
  private final TopValues ports = new TopValues(PORTS);
  private final TopValues protocols = new TopValues(PROTOCOLS);
  private final TopValues countries = new TopValues(COUNTRIES);
  private final long[] flags = new long[FLAGS.size()];
  private long tcpWeight;
  private long weight;
  private long firstSeen = Long.MAX_VALUE;
  private long lastSeen = Long.MIN_VALUE;
  private long countedFrom = Long.MAX_VALUE;

  CandidateDetails() {}

  /**
   * @param firstSeen time of the key's first flow, microseconds since the epoch; may precede the
   *     first flow profiled here
   */
  CandidateDetails(long firstSeen) {
    this.firstSeen = firstSeen;
  }

  void add(DetailColumns flows, int row, long more) {
    long time = flows.times[row];
    weight += more;
    firstSeen = Math.min(firstSeen, time);
    countedFrom = Math.min(countedFrom, time);
    lastSeen = Math.max(lastSeen, time);
    sources.add(flows.sourceHash(row));
    int protocol = flows.protocols[row];
    int port = flows.ports[row];
    if (protocol >= 0) {
      protocols.add(protocol, more);
      if (port >= 0) {
        ports.add((long) protocol << PORT_BITS | port, more);
      }
    }
    int set = flows.flags[row];
    if (set >= 0) {
      tcpWeight += more;
      for (int flag = 0; flag < flags.length; flag++) {
        flags[flag] += (set >> flag & 1) * more;
      }
    }
    if (flows.hasCountry(row)) {
      countries.add(flows.country(row), more);
    }
  }

  void merge(CandidateDetails other) {
    sources.merge(other.sources);
    ports.merge(other.ports);
    protocols.merge(other.protocols);
    countries.merge(other.countries);
    for (int flag = 0; flag < flags.length; flag++) {
      flags[flag] += other.flags[flag];
    }
    tcpWeight += other.tcpWeight;
    weight += other.weight;
    firstSeen = Math.min(firstSeen, other.firstSeen);
    lastSeen = Math.max(lastSeen, other.lastSeen);
    countedFrom = Math.min(countedFrom, other.countedFrom);
  }

  long firstSeen() {
    return firstSeen;
  }

  long lastSeen() {
    return lastSeen;
  }

  long countedFrom() {
    return countedFrom;
  }

  long weight() {
    return weight;
  }

  long sources() {
    return sources.estimate();
  }

  /** Destination ports with their shares of the weight: {@code 443/tcp 62% 53/udp 3%}. */
  String ports() {
    return shares(
        ports, value -> (value & ((1 << PORT_BITS) - 1)) + "/" + protocol(value >> PORT_BITS));
  }

  String protocols() {
    return shares(protocols, CandidateDetails::protocol);
  }

  String countries(LongFunction<String> text) {
    String shares = shares(countries, text);
    return shares.isEmpty() ? null : shares;
  }

  /** Shares of the TCP weight by flag; null without TCP. */
  String flags() {
    if (tcpWeight == 0) {
      return null;
    }
    StringJoiner shares = new StringJoiner(" ");
    for (int flag = 0; flag < flags.length; flag++) {
      if (percent(flags[flag], tcpWeight) > 0) {
        shares.add(FLAGS.get(flag) + " " + percent(flags[flag], tcpWeight) + "%");
      }
    }
    return shares.toString();
  }

  private String shares(TopValues values, LongFunction<String> text) {
    List<String> shares = new ArrayList<>();
    for (TopValues.Top each : values.top()) {
      long percent = percent(each.atLeast(), weight);
      if (percent > 0 && shares.size() < REPORTED) {
        shares.add(text.apply(each.value()) + " " + percent + "%");
      }
    }
    return String.join(" ", shares);
  }

  private static long percent(long part, long all) {
    return (long) (100.0 * part / all);
  }

  private static String protocol(long number) {
    return switch ((int) number) {
      case 1 -> "icmp";
      case 6 -> "tcp";
      case 17 -> "udp";
      case 58 -> "icmpv6";
      default -> Long.toString(number);
    };
  }

  void write(BlockBuffer out) {
    sources.write(out);
    ports.write(out);
    protocols.write(out);
    countries.write(out);
    out.putLongs(flags, flags.length);
    out.putLong(tcpWeight);
    out.putLong(weight);
    out.putLong(firstSeen);
    out.putLong(lastSeen);
    out.putLong(countedFrom);
  }

  void read(BlockInput in) {
    sources.read(in);
    ports.read(in);
    protocols.read(in);
    countries.read(in);
    in.takeLongs(flags, flags.length);
    tcpWeight = in.takeLong();
    weight = in.takeLong();
    firstSeen = in.takeLong();
    lastSeen = in.takeLong();
    countedFrom = in.takeLong();
  }
}
