package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.HostCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Subnets {
  private static final Pattern NETWORK =
      Pattern.compile("\\b(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})(?:/(\\d{1,2}))?");

  private static final int CANDIDATES = 1 << 16;

  private Subnets() {}

  /** Returns {@code 10.x.y.} of a free network, preferably the same for the same name. */
  static String free(String name) {
    return free(name, HostCommand.run("ip", "-4", "route", "show", "table", "all"));
  }

  static String free(String name, String routes) {
    List<long[]> taken = new ArrayList<>();
    Matcher matcher = NETWORK.matcher(routes);
    while (matcher.find()) {
      long address = 0;
      for (int i = 1; i <= 4; i++) {
        address = address << 8 | Integer.parseInt(matcher.group(i));
      }
      int bits = matcher.group(5) == null ? 32 : Integer.parseInt(matcher.group(5));
      long first = address & -1L << (32 - bits);
      taken.add(new long[] {first, first + (1L << (32 - bits)) - 1});
    }
    int start = Math.floorMod(name.hashCode(), CANDIDATES);
    for (int i = 0; i < CANDIDATES; i++) {
      int candidate = (start + i) % CANDIDATES;
      long first = 10L << 24 | (long) candidate << 8;
      if (taken.stream().noneMatch(range -> range[0] <= first + 255 && first <= range[1])) {
        return "10." + (candidate >> 8) + "." + (candidate & 0xff) + ".";
      }
    }
    throw new ClusterException("all networks of 10.0.0.0/8 are in use on this machine");
  }
}
