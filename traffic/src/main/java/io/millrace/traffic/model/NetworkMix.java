package io.millrace.traffic.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Member networks and their weights: by Zipf's law, in one order as servers and in another as
 * clients. Draws are member numbers from 0 to {@link #size()} - 1, in the order in which the
 * members joined the exchange. Immutable except for the caller's random generator.
 */
public final class NetworkMix {
  private final AddressPool pool;
  private final int[] members; // index in the pool
  private final Ranking[] servers; // for IPv4 and IPv6
  private final Ranking[] clients;
  private final boolean hasV6;
  private final double namedShare;
  private final AliasTable serverHosts = AliasTable.zipf(1024, 0.9);

  /** Members in order of weight; the weights belong to the ranks. */
  private static final class Ranking {
    private final int[] members;
    private final AliasTable weights;

    Ranking(int[] members, double exponent) {
      this.members = members;
      weights = AliasTable.zipf(members.length, exponent);
    }

    int draw(SplitMix random) {
      return members[weights.draw(random)];
    }
  }

  NetworkMix(AddressPool pool, TrafficConfig.Mix mix, SplitMix random) {
    this.pool = pool;
    this.namedShare = mix.namedShare();
    Map<Long, Integer> byNumber = new HashMap<>();
    for (int i = 0; i < pool.networks(); i++) {
      byNumber.putIfAbsent(pool.asNumber(i), i);
    }
    List<Integer> content = known(mix.content(), byNumber);
    List<Integer> access = known(mix.access(), byNumber);
    LinkedHashSet<Integer> chosen = new LinkedHashSet<>(content);
    chosen.addAll(access);
    for (int network : shuffled(pool.networks(), random)) {
      if (chosen.size() >= mix.networks()) {
        break;
      }
      chosen.add(network);
    }
    members = chosen.stream().limit(mix.networks()).mapToInt(Integer::intValue).toArray();
    if (members.length == 0) {
      throw new IllegalArgumentException("the address pool has no networks");
    }
    servers = new Ranking[2];
    clients = new Ranking[2];
    int[] rest = shuffled(members.length, random);
    for (int family = 0; family < 2; family++) {
      servers[family] = rank(content, rest, family == 1, mix.zipfExponent());
      clients[family] = rank(access, rest, family == 1, mix.zipfExponent());
    }
    if (servers[0] == null) {
      throw new IllegalArgumentException("the address pool has no network with IPv4 addresses");
    }
    hasV6 = servers[1] != null;
  }

  private static List<Integer> known(List<Long> numbers, Map<Long, Integer> byNumber) {
    List<Integer> networks = new ArrayList<>();
    for (Long number : numbers) {
      Integer network = byNumber.get(number);
      if (network != null) {
        networks.add(network);
      }
    }
    return networks;
  }

  /**
   * Ranking of the members with addresses of the family: heavy ones first, then all others; null if
   * there are none.
   */
  private Ranking rank(List<Integer> heavy, int[] others, boolean v6, double exponent) {
    Map<Integer, Integer> memberOf = new HashMap<>();
    for (int i = 0; i < members.length; i++) {
      memberOf.put(members[i], i);
    }
    LinkedHashSet<Integer> order = new LinkedHashSet<>();
    for (Integer network : heavy) {
      if (memberOf.containsKey(network)) {
        order.add(memberOf.get(network));
      }
    }
    for (int member : others) {
      order.add(member);
    }
    int[] ranked = order.stream().mapToInt(Integer::intValue).filter(m -> has(m, v6)).toArray();
    return ranked.length == 0 ? null : new Ranking(ranked, exponent);
  }

  private static int[] shuffled(int n, SplitMix random) {
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      int j = random.below(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }

  /** Number of member networks. */
  public int size() {
    return members.length;
  }

  /** The network's index in the pool. */
  public int poolIndex(int member) {
    return members[member];
  }

  boolean hasV6() {
    return hasV6;
  }

  private boolean has(int member, boolean v6) {
    return pool.has(members[member], v6);
  }

  int drawServer(SplitMix random, boolean v6) {
    return servers[v6 ? 1 : 0].draw(random);
  }

  int drawClient(SplitMix random, boolean v6) {
    return clients[v6 ? 1 : 0].draw(random);
  }

  void drawServerHost(SplitMix random, int member, boolean v6, long[] out) {
    drawHost(random, member, v6, serverHosts.draw(random), out);
  }

  void drawClientHost(SplitMix random, int member, boolean v6, long[] out) {
    drawHost(random, member, v6, random.below(1 << 16), out);
  }

  private void drawHost(SplitMix random, int member, boolean v6, int host, long[] out) {
    int network = members[member];
    int named = pool.namedHosts(network, v6);
    if (random.chance(namedShare) && named > 0) {
      pool.namedHost(network, v6, host % named, out);
    } else {
      pool.host(network, v6, host, out);
    }
  }
}
