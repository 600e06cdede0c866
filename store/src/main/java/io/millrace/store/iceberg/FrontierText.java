package io.millrace.store.iceberg;

import io.millrace.wire.block.Frontier;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Frontier as a snapshot property: {@code partition:offset}, separated by commas. */
final class FrontierText {
  private FrontierText() {}

  static String of(Frontier frontier) {
    return frontier.next().entrySet().stream()
        .map(partition -> partition.getKey() + ":" + partition.getValue())
        .collect(Collectors.joining(","));
  }

  static Frontier parse(String text) {
    Map<Integer, Long> next = new TreeMap<>();
    if (!text.isEmpty()) {
      for (String partition : text.split(",", -1)) {
        int colon = partition.indexOf(':');
        next.put(
            Integer.valueOf(partition.substring(0, colon)),
            Long.valueOf(partition.substring(colon + 1)));
      }
    }
    return new Frontier(next);
  }
}
