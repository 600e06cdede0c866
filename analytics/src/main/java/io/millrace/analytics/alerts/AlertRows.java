package io.millrace.analytics.alerts;

import io.millrace.analytics.keyed.KeyColumns;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.List;

/** Input and output rows of {@link NewKeys}. */
public final class AlertRows {
  /**
   * Keys reported by a window. Columns: start of the window, {@link AlertKind#label}, type of key,
   * key, measure, its value in the window, its value before (null if unknown), its share of the
   * total (null if unknown), and the last microsecond of the window.
   */
  public static final TableSchema REPORTED = reported().build();

  /** {@link #REPORTED} with a sentence that describes it and a console link (null if unknown). */
  public static final TableSchema ALERTS = reported().text("text").text("link").build();

  /** Identity of an alert; the time of {@link #ALERTS} is {@code until}. */
  public static final List<String> IDENTITY = List.of("key", "kind", "by", "until");

  /** Type of keys that are keywords from senders rather than columns of flows. */
  public static final String KEYWORD = "keyword";

  /** Partitioning of reported keys. */
  public static final KeyColumns KEYS = KeyColumns.of(REPORTED, "kind", "by", "key");

  static final int TIME = 0;
  static final int KIND = 1;
  static final int BY = 2;
  static final int KEY = 3;
  static final int MEASURE = 4;
  static final int VALUE = 5;
  static final int BASELINE = 6;
  static final int SHARE = 7;
  static final int UNTIL = 8;
  static final int TEXT = 9;
  static final int LINK = 10;

  private AlertRows() {}

  private static TableSchema.Builder reported() {
    return TableSchema.builder()
        .time("time")
        .text("kind")
        .text("by")
        .text("key")
        .text("measure")
        .number("value")
        .number("baseline")
        .fraction("share")
        .time("until");
  }

  /**
   * A key of a window.
   *
   * @param time start of the window, in microseconds since the epoch
   * @param until its last microsecond
   * @param by type of key, for {@link io.millrace.analytics.hitters.HitterKind#parse}; {@link
   *     #KEYWORD} if it is not of flows
   * @param measure unit of value and baseline: bytes, packets, flows or a count
   * @param baseline the value before; {@link TableBlock#NULL} if unknown
   * @param share of the total, 0 to 1; NaN if unknown
   */
  public record Key(
      long time,
      long until,
      String kind,
      String by,
      String key,
      String measure,
      long value,
      long baseline,
      double share) {}

  /** Appends a key to a block of {@link #REPORTED}. */
  public static void append(Key key, TableBlock to) {
    fill(key, to);
    to.rows(to.rows() + 1);
  }

  static void append(Key key, AlertText texts, TableBlock to) {
    fill(key, to);
    to.texts(TEXT).add(texts.sentence(key));
    to.texts(LINK).add(texts.link(key));
    to.rows(to.rows() + 1);
  }

  private static void fill(Key key, TableBlock to) {
    to.reserve(1);
    int row = to.rows();
    to.longs(TIME)[row] = key.time();
    to.texts(KIND).add(key.kind());
    to.texts(BY).add(key.by());
    to.texts(KEY).add(key.key());
    to.texts(MEASURE).add(key.measure());
    to.longs(VALUE)[row] = key.value();
    to.longs(BASELINE)[row] = key.baseline();
    to.doubles(SHARE)[row] = key.share();
    to.longs(UNTIL)[row] = key.until();
  }

  static Key key(TableBlock block, int row) {
    return new Key(
        block.longs(TIME)[row],
        block.longs(UNTIL)[row],
        block.texts(KIND).get(row),
        block.texts(BY).get(row),
        block.texts(KEY).get(row),
        block.texts(MEASURE).get(row),
        block.longs(VALUE)[row],
        block.longs(BASELINE)[row],
        block.doubles(SHARE)[row]);
  }
}
