package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Locale;

/** Rows of results: the parts of keys, with their counts and profiles. */
final class HitterRows {
  static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("epoch")
          .text("kind")
          .text("key")
          .address("src_addr")
          .address("dst_addr")
          .number("src_port")
          .number("dst_port")
          .number("proto")
          .number("src_as")
          .number("dst_as")
          .address("exporter")
          .number("in_if")
          .text("measure")
          .number("rank")
          .number("change_rank")
          .number("estimate")
          .number("lower")
          .number("upper")
          .number("sampling_error")
          .fraction("share")
          .number("total")
          .number("previous")
          .number("change")
          .number("own")
          .text("algorithm")
          .time("epoch_end")
          .number("sources")
          .text("top_ports")
          .text("protocols")
          .text("tcp_flags")
          .text("countries")
          .time("first_seen")
          .time("last_seen")
          .time("details_from")
          .build();

  /**
   * A reported key.
   *
   * @param rank among the heavy keys, from 1; {@link TableBlock#NULL} if it is not heavy
   * @param changeRank among the changed keys, from 1; {@link TableBlock#NULL} if not reported as
   *     such
   * @param estimate in the epoch
   * @param samplingError half-width by which sampling extends its bounds
   * @param previous estimate in the previous epoch; {@link TableBlock#NULL} if unknown
   * @param own weight of a prefix without heavy longer prefixes; {@link TableBlock#NULL} if not
   *     heavy or unknown
   * @param algorithm that counted it
   * @param details profile of its traffic; null if it was not a candidate
   */
  record ReportedKey(
      Key key,
      long rank,
      long changeRank,
      Estimate estimate,
      long samplingError,
      long previous,
      long own,
      String algorithm,
      CandidateDetails details) {}

  private static final int FIRST_PART = 3;
  private static final int LAST_PART = SCHEMA.indexOf("in_if");

  private final HitterSettings settings;
  private final ColumnTexts texts;

  HitterRows(HitterSettings settings, ColumnTexts texts) {
    this.settings = settings;
    this.texts = texts;
  }

  void add(TableBlock to, long epoch, HitterKind kind, long total, ReportedKey key) {
    int row = to.rows();
    to.longs(0)[row] = epoch;
    to.texts(1).add(kind.name());
    to.texts(2).add(text(kind, key.key(), texts));
    parts(to, row, kind, key.key());
    int column = LAST_PART + 1;
    to.texts(column++).add(settings.measure().name().toLowerCase(Locale.ROOT));
    to.longs(column++)[row] = key.rank();
    to.longs(column++)[row] = key.changeRank();
    Estimate estimate = key.estimate();
    to.longs(column++)[row] = estimate.value();
    to.longs(column++)[row] = Math.max(0, estimate.lower() - key.samplingError());
    to.longs(column++)[row] = estimate.upper() + key.samplingError();
    to.longs(column++)[row] = key.samplingError();
    to.doubles(column++)[row] = total == 0 ? 0 : (double) estimate.value() / total;
    to.longs(column++)[row] = total;
    to.longs(column++)[row] = key.previous();
    to.longs(column++)[row] =
        key.previous() == TableBlock.NULL ? TableBlock.NULL : estimate.value() - key.previous();
    to.longs(column++)[row] = key.own();
    to.texts(column++).add(key.algorithm());
    to.longs(column++)[row] = epoch + settings.epochMicros() - 1;
    details(to, row, column, key.details());
    to.rows(row + 1);
  }

  private void details(TableBlock to, int row, int first, CandidateDetails details) {
    int column = first;
    boolean isKnown = details != null;
    to.longs(column++)[row] = isKnown ? details.sources() : TableBlock.NULL;
    to.texts(column++).add(isKnown ? details.ports() : null);
    to.texts(column++).add(isKnown ? details.protocols() : null);
    to.texts(column++).add(isKnown ? details.flags() : null);
    to.texts(column++).add(isKnown ? details.countries(this::country) : null);
    to.longs(column++)[row] = isKnown ? details.firstSeen() : TableBlock.NULL;
    to.longs(column++)[row] = isKnown ? details.lastSeen() : TableBlock.NULL;
    to.longs(column)[row] = isKnown ? details.countedFrom() : TableBlock.NULL;
  }

  private String country(long id) {
    String text = texts.text(DetailColumns.COUNTRY, id);
    return text == null ? Long.toString(id) : text;
  }

  private static void parts(TableBlock to, int row, HitterKind kind, Key key) {
    for (int column = FIRST_PART; column <= LAST_PART; column++) {
      if (SCHEMA.type(column) == TableSchema.Type.ADDRESS) {
        to.addressHigh(column)[row] = Addresses.NULL;
        to.addressLow(column)[row] = Addresses.NULL;
      } else {
        to.longs(column)[row] = TableBlock.NULL;
      }
    }
    int at = 0;
    for (HitterKind.Part part : kind.parts()) {
      int column = SCHEMA.indexOf(part.column());
      boolean isShown = column >= FIRST_PART && column <= LAST_PART;
      if (isShown && part.isAddress()) {
        to.addressHigh(column)[row] = takeLong(key, at);
        to.addressLow(column)[row] = takeLong(key, at + Long.BYTES);
      } else if (isShown) {
        to.longs(column)[row] = number(part, key, at);
      }
      at += part.bytes();
    }
  }

  static String text(HitterKind kind, Key key, ColumnTexts columns) {
    StringBuilder text = new StringBuilder();
    int at = 0;
    for (HitterKind.Part part : kind.parts()) {
      text.append(at == 0 ? "" : " ").append(text(part, key, at, columns));
      at += part.bytes();
    }
    return text.toString();
  }

  private static String text(HitterKind.Part part, Key key, int at, ColumnTexts columns) {
    if (part.isAddress()) {
      long high = takeLong(key, at);
      long low = takeLong(key, at + Long.BYTES);
      boolean isNetwork = part.prefix() == HitterKind.Part.LENGTHS;
      return address(
          high, low, part, isNetwork ? Networks.bits(key) : part.bits(Addresses.isV4(high, low)));
    }
    long number = number(part, key, at);
    if (number == TableBlock.NULL) {
      return "-";
    }
    if (part.isCondition()) {
      return number == 0 ? "false" : "true";
    }
    String text = part.wire().isEmpty() ? columns.text(part.column(), number) : null;
    return text == null ? Long.toString(number) : text;
  }

  private static long number(HitterKind.Part part, Key key, int at) {
    boolean isInt = part.bytes() == Integer.BYTES;
    long number = isInt ? take(key, at) : takeLong(key, at);
    boolean isNull = isInt ? (int) number == FlowBlock.NULL : number == FlowBlock.NULL;
    return isNull ? TableBlock.NULL : number;
  }

  private static String address(long high, long low, HitterKind.Part part, int bits) {
    if (Addresses.isNull(high, low)) {
      return "-";
    }
    String text = Addresses.toText(high, low);
    return part.isPrefix() ? text + "/" + bits : text;
  }

  private static long take(Key key, int at) {
    return (key.word(at / Long.BYTES) >>> (at % Long.BYTES == 0 ? 32 : 0)) & 0xFFFF_FFFFL;
  }

  private static long takeLong(Key key, int at) {
    return (take(key, at) << 32) | take(key, at + Integer.BYTES);
  }
}
