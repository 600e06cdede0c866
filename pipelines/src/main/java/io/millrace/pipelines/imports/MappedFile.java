package io.millrace.pipelines.imports;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** An external table, CSV or Parquet, read by a mapping; a value has some thousand rows. */
final class MappedFile implements FlowFile {
  private static final int ROWS = 4_096;

  private static final Map<String, Integer> PROTOCOLS =
      Map.of(
          "icmp",
          1,
          "igmp",
          2,
          "tcp",
          6,
          "udp",
          17,
          "gre",
          47,
          "esp",
          50,
          "ah",
          51,
          "icmpv6",
          58,
          "ipv6-icmp",
          58,
          "sctp",
          132);

  private static final DateTimeFormatter ISO =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendPattern("[ ]['T'][ ]")
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .appendPattern("[ ]")
          .optionalStart()
          .appendOffset("+HH:mm", "Z")
          .optionalEnd()
          .optionalStart()
          .appendOffset("+HH", "Z")
          .optionalEnd()
          .toFormatter(Locale.ROOT);

  private final TableRows rows;
  private final Mapping mapping;
  private final Optional<Instant> time;
  private final int[] places;
  private final int wherePlace;
  private final Rejections rejections = new Rejections();
  private final long[] address = new long[2];
  private boolean ended;

  private MappedFile(TableRows rows, Mapping mapping, Optional<Instant> time) throws IOException {
    this.rows = rows;
    this.mapping = mapping;
    this.time = time;
    List<String> sources = mapping.sources();
    rows.select(sources);
    places = mapping.columns().stream().mapToInt(each -> sources.indexOf(each.source())).toArray();
    wherePlace = mapping.where().map(condition -> sources.indexOf(condition.source())).orElse(-1);
  }

  static MappedFile open(FileContent content, Mapping mapping, Optional<Instant> time)
      throws IOException {
    if (!mapping.fills(FlowColumn.TIME) && time.isEmpty()) {
      throw new IllegalArgumentException(
          "the mapping has no column time: give a time for all rows, --time 2026-01-31T12:00:00Z");
    }
    TableRows rows =
        mapping.isParquet() ? TableRows.ofParquet(content) : CsvRows.open(content, mapping);
    try {
      return new MappedFile(rows, mapping, time);
    } catch (IOException | RuntimeException e) {
      rows.close();
      throw e;
    }
  }

  @Override
  public String format() {
    return mapping.isParquet() ? "parquet" : "csv";
  }

  @Override
  public boolean next(int partition, long offset, Consumer<FlowBlock> out) throws IOException {
    if (ended) {
      return false;
    }
    FlowBlock block = new FlowBlock(ROWS);
    block.logPosition(partition, offset);
    try {
      while (block.rows() < ROWS && !ended) {
        List<String> values = rows.next();
        ended = values == null;
        if (!ended && isTaken(values)) {
          add(block, values);
        }
      }
    } finally {
      if (block.rows() > 0) { // also if the file is damaged after these rows
        out.accept(block);
      }
    }
    return true;
  }

  private boolean isTaken(List<String> values) {
    return wherePlace < 0 || mapping.where().orElseThrow().is().equals(values.get(wherePlace));
  }

  private void add(FlowBlock block, List<String> values) {
    int row = block.rows();
    block.nullRow(row);
    block.longs(FlowColumn.PACKETS)[row] = 1;
    block.ints(FlowColumn.SAMPLING_RATE)[row] = 1;
    time.ifPresent(all -> block.longs(FlowColumn.TIME)[row] = micros(all));
    for (int i = 0; i < places.length; i++) {
      Mapping.Column column = mapping.columns().get(i);
      String value = places[i] < 0 ? column.constant() : values.get(places[i]);
      if (value == null || value.isEmpty() || value.equals("null") || value.equals("-")) {
        continue;
      }
      try {
        set(block, row, column, value.strip());
      } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
        block.nullOptional(row, row + 1);
        rejections.add(
            "bad " + column.target().columnName(), rows.place() + ": \"" + shortened(value) + "\"");
        return;
      }
    }
    String missing = missing(block, row);
    if (!missing.isEmpty()) {
      block.nullOptional(row, row + 1);
      rejections.add(missing, rows.place());
      return;
    }
    block.logIndex()[row] = row;
    block.rows(row + 1);
  }

  /**
   * Reason why a row is rejected; empty if it is valid. Frames that are not IP need no addresses.
   */
  private static String missing(FlowBlock block, int row) {
    if (block.longs(FlowColumn.TIME)[row] == FlowBlock.NULL) {
      return "no time";
    }
    boolean hasAddress =
        !Addresses.isNull(
                block.addressHigh(FlowColumn.SRC_ADDR)[row],
                block.addressLow(FlowColumn.SRC_ADDR)[row])
            || !Addresses.isNull(
                block.addressHigh(FlowColumn.DST_ADDR)[row],
                block.addressLow(FlowColumn.DST_ADDR)[row]);
    return hasAddress ? "" : "no address";
  }

  private static String shortened(String value) {
    return value.length() <= 40 ? value : value.substring(0, 40) + "…";
  }

  private void set(FlowBlock block, int row, Mapping.Column column, String value) {
    FlowColumn target = column.target();
    switch (target.type()) {
      case TIME, MOMENT -> block.longs(target)[row] = time(value, column.unit());
      case ADDRESS -> {
        if (!Addresses.parse(value, address)) {
          throw new IllegalArgumentException("not an IP address");
        }
        block.addressHigh(target)[row] = address[0];
        block.addressLow(target)[row] = address[1];
      }
      case MAC -> block.longs(target)[row] = mac(value);
      case U8 -> block.ints(target)[row] = (int) number(target, column, value, 0xFF);
      case U16 -> block.ints(target)[row] = (int) number(target, column, value, 0xFFFF);
      case U32 ->
          block.ints(target)[row] =
              (int)
                  number(
                      target,
                      column,
                      value,
                      target == FlowColumn.SAMPLING_RATE ? FlowBounds.MAX_RATE : 0xFFFF_FFFEL);
      case U64 ->
          block.longs(target)[row] =
              number(
                  target,
                  column,
                  value,
                  target == FlowColumn.BYTES ? FlowBounds.MAX_BYTES : FlowBounds.MAX_PACKETS);
    }
  }

  private static long number(FlowColumn target, Mapping.Column column, String value, long max) {
    Integer protocol =
        target == FlowColumn.PROTO ? PROTOCOLS.get(value.toLowerCase(Locale.ROOT)) : null;
    long number;
    if (protocol != null) {
      number = protocol;
    } else if (value.startsWith("0x")) {
      number = Long.parseLong(value.substring(2), 16);
    } else if (column.factor() == 1 && value.indexOf('.') < 0) {
      number = Long.parseLong(value);
    } else {
      double scaled = Double.parseDouble(value) * column.factor();
      number = Double.isFinite(scaled) ? Math.round(scaled) : -1;
    }
    if (number < 0 || number > max || (target == FlowColumn.SAMPLING_RATE && number == 0)) {
      throw new IllegalArgumentException("out of range");
    }
    return number;
  }

  private static long mac(String value) {
    String digits = value.replaceAll("[:.-]", "");
    if (digits.length() != 12) {
      throw new IllegalArgumentException("not a MAC address");
    }
    return Long.parseLong(digits, 16);
  }

  private static long time(String value, String unit) {
    return switch (unit) {
      case "s" -> scaled(value, 6);
      case "ms" -> scaled(value, 3);
      case "us" -> scaled(value, 0);
      case "ns" -> scaled(value, -3);
      default -> iso(value);
    };
  }

  /** Exact, since seconds with a fraction do not fit a double. */
  private static long scaled(String value, int powerOfTen) {
    if (value.length() > 40) {
      throw new IllegalArgumentException("not a time");
    }
    return new BigDecimal(value)
        .scaleByPowerOfTen(powerOfTen)
        .setScale(0, java.math.RoundingMode.FLOOR)
        .longValueExact();
  }

  private static long iso(String value) {
    var parsed = ISO.parseBest(value, OffsetDateTime::from, LocalDateTime::from);
    return micros(
        parsed instanceof OffsetDateTime with
            ? with.toInstant()
            : ((LocalDateTime) parsed).toInstant(ZoneOffset.UTC));
  }

  private static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  @Override
  public Rejections rejections() {
    return rejections;
  }

  @Override
  public long position() {
    return rows.position();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}
