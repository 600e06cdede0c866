package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.Key;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows of the table of results: keys taken apart, with what is known of them. */
final class HitterRows {
  /** The columns. */
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
          .text("algorithm")
          .build();

  /**
   * A key that is reported.
   *
   * @param rank among the heavy ones, from 1 on; {@link TableBlock#NULL} if it is not heavy
   * @param changeRank among those that have changed, likewise
   * @param estimate what was counted of it in the epoch
   * @param samplingError how much sampling adds to its bounds on both sides
   * @param previous estimate in the epoch before; {@link TableBlock#NULL} if nothing is known of
   *     that
   * @param algorithm that has counted it
   */
  record Reported(
      Key key,
      long rank,
      long changeRank,
      Estimate estimate,
      long samplingError,
      long previous,
      String algorithm) {}

  private static final int FIRST_PART = 3;
  private static final int LAST_PART = SCHEMA.indexOf("in_if");

  private final HitterSettings settings;

  HitterRows(HitterSettings settings) {
    this.settings = settings;
  }

  /** Appends a row, for which there is room. */
  void add(TableBlock to, long epoch, HitterKind kind, long total, Reported key) {
    int row = to.rows();
    to.longs(0)[row] = epoch;
    to.texts(1).add(kind.name());
    to.texts(2).add(parts(to, row, kind, key.key()));
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
    to.texts(column).add(key.algorithm());
    to.rows(row + 1);
  }

  /** Fills the columns of the key's parts; gives the key as a text. */
  private static String parts(TableBlock to, int row, HitterKind kind, Key key) {
    for (int column = FIRST_PART; column <= LAST_PART; column++) {
      if (SCHEMA.type(column) == TableSchema.Type.ADDRESS) {
        to.addressHigh(column)[row] = Addresses.NULL;
        to.addressLow(column)[row] = Addresses.NULL;
      } else {
        to.longs(column)[row] = TableBlock.NULL;
      }
    }
    List<String> texts = new ArrayList<>();
    int at = 0;
    for (HitterKind.Part part : kind.parts()) {
      int column = SCHEMA.indexOf(part.column());
      boolean isShown = column >= FIRST_PART && column <= LAST_PART;
      if (part.isAddress()) {
        long high = takeLong(key, at);
        long low = takeLong(key, at + Long.BYTES);
        texts.add(address(high, low, part));
        if (isShown) {
          to.addressHigh(column)[row] = high;
          to.addressLow(column)[row] = low;
        }
      } else {
        long number = part.bytes() == Integer.BYTES ? take(key, at) : takeLong(key, at);
        boolean isNull =
            part.bytes() == Integer.BYTES
                ? (int) number == FlowBlock.NULL
                : number == FlowBlock.NULL;
        texts.add(isNull ? "-" : Long.toString(number));
        if (isShown) {
          to.longs(column)[row] = isNull ? TableBlock.NULL : number;
        }
      }
      at += part.bytes();
    }
    return String.join(" ", texts);
  }

  private static String address(long high, long low, HitterKind.Part part) {
    if (Addresses.isNull(high, low)) {
      return "-";
    }
    String text = Addresses.toText(high, low);
    return part.isPrefix()
        ? text + "/" + (Addresses.isV4(high, low) ? part.prefix() : 2 * part.prefix())
        : text;
  }

  private static long take(Key key, int at) {
    return (key.word(at / Long.BYTES) >>> (at % Long.BYTES == 0 ? 32 : 0)) & 0xFFFF_FFFFL;
  }

  private static long takeLong(Key key, int at) {
    return (take(key, at) << 32) | take(key, at + Integer.BYTES);
  }
}
