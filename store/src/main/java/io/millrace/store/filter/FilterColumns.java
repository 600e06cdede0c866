package io.millrace.store.filter;

import io.millrace.store.DeviceNames;
import io.millrace.store.FlowSchema;
import io.millrace.store.NearestName;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

final class FilterColumns {
  private static final Map<String, String> SYNONYMS =
      Map.of(
          "ip", "addr",
          "host", "addr",
          "net", "addr",
          "name", "dns",
          "flags", "tcp_flags",
          "fwdstat", "forwarding_status",
          "octets", "bytes");

  /** nfdump's conditions without a column. */
  private static final Set<String> UNSUPPORTED =
      Set.of(
          "ident",
          "engine-type",
          "engine-id",
          "sysid",
          "mpls",
          "bgpnext",
          "prev",
          "previous",
          "nat",
          "event",
          "xip",
          "xnet",
          "xport",
          "nip",
          "nport",
          "vrf",
          "acl",
          "ingress",
          "egress",
          "observation",
          "tun",
          "geo",
          "payload",
          "user",
          "label",
          "latency",
          "client",
          "server");

  private final Map<String, FilterColumn> byName = new LinkedHashMap<>();
  private final boolean isOfFlows;

  FilterColumns(FlowSchema schema) {
    isOfFlows = true;
    FlowColumn.ALL.forEach(column -> byName.put(column.columnName(), FilterColumn.of(column)));
    for (FlowSchema.AddedColumn joined : schema.joined()) {
      byName.put(
          joined.name(),
          joined.kind() == JoinedColumn.Kind.TEXT
              ? FilterColumn.text(joined.name())
              : FilterColumn.number(joined.name(), 32));
    }
    for (DeviceNames.Column column : DeviceNames.columns(schema)) {
      byName.put(column.name(), FilterColumn.reported(column));
    }
    for (String place : List.of("log_partition", "log_index")) {
      byName.put(place, FilterColumn.number(place, 31));
    }
    FilterColumn.COMPUTED.forEach(name -> byName.putIfAbsent(name, FilterColumn.computed(name)));
    byName.put("log_offset", FilterColumn.number("log_offset", 63));
  }

  /** Columns of another table, except fractions, which have no ranges. */
  FilterColumns(TableSchema schema) {
    isOfFlows = false;
    for (TableSchema.Column column : schema.columns()) {
      FilterColumn.of(column).ifPresent(known -> byName.put(column.name(), known));
    }
  }

  boolean isOfFlows() {
    return isOfFlows;
  }

  /** Case-insensitive; null if unknown. */
  FilterColumn find(String name) {
    return byName.get(name.toLowerCase(Locale.ROOT));
  }

  FilterColumn single(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return byName.get(SYNONYMS.getOrDefault(lower, lower));
  }

  /** The column of one side, with {@code side} such as {@code src_}; null if unknown. */
  FilterColumn side(String side, String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    FilterColumn column = byName.get(side + SYNONYMS.getOrDefault(lower, lower));
    return column == null ? byName.get(side + lower) : column;
  }

  /** The columns of both sides: source and destination, or in and out; empty if unknown. */
  List<FilterColumn> both(String word) {
    for (List<String> sides : List.of(List.of("src_", "dst_"), List.of("in_", "out_"))) {
      FilterColumn first = side(sides.get(0), word);
      FilterColumn second = side(sides.get(1), word);
      if (first != null && second != null) {
        return List.of(first, second);
      }
    }
    return List.of();
  }

  String advice(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    if (!isOfFlows) {
      return "; there are " + String.join(", ", byName.keySet());
    }
    if (Vocabulary.isProtocol(lower)) {
      return "; write proto " + lower;
    } else if (UNSUPPORTED.contains(lower)) {
      return ": this nfdump condition is not supported";
    }
    String near = nearest(lower);
    return near.isEmpty() ? "; DESCRIBE flows lists them" : "; did you mean " + near + "?";
  }

  private String nearest(String lower) {
    List<String> names = new ArrayList<>(byName.keySet());
    names.addAll(List.of("addr", "port", "as", "dns", "if", "ip", "net", "host", "inet", "inet6"));
    return NearestName.of(lower, names).orElse("");
  }
}
