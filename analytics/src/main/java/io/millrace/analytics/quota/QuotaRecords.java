package io.millrace.analytics.quota;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;

/** Records of both streams, their columns for the join, and signals. */
public final class QuotaRecords {
  /** Largest quota, in any unit; a hundred times this fits a {@code long}. */
  public static final long MAX_QUOTA = 10_000_000_000_000_000L;

  // Columns of EVENTS and JUDGED.
  static final int TIME = 0;
  static final int MSISDN = 1;
  static final int PARTITION = 2;
  static final int OFFSET = 3;
  static final int INDEX = 4;
  static final int LIMIT = 5;
  static final int USED = 6;
  static final int RULE = 7;
  static final int FURTHER = 8;
  static final int EVENT_FURTHER = 5;

  /** Fifteen digits, without leading zeros or a plus: E.164. */
  private static final long MAX_MSISDN = 999_999_999_999_999L;

  /** Usage of a subscriber. */
  public static final RecordSchema USAGE =
      new RecordSchema(
          "usage",
          List.of(
              Field.time("time"),
              Field.number("msisdn", 1, MAX_MSISDN),
              Field.text("plan", 0, 64).orNull(),
              Field.number("quota_limit", 1, MAX_QUOTA),
              Field.number("quota_used", 0, MAX_QUOTA),
              Field.number("complimentary_granted", 0, MAX_QUOTA).orElse(0L),
              Field.number("complimentary_used", 0, MAX_QUOTA).orElse(0L)),
          "time",
          "msisdn");

  /** Video playback by a subscriber. */
  public static final RecordSchema STREAMING =
      new RecordSchema(
          "streaming",
          List.of(
              Field.time("time"),
              Field.number("msisdn", 1, MAX_MSISDN),
              Field.text("video", 0, 2_048).orNull()),
          "time",
          "msisdn");

  /** Streaming events for the join: time, subscriber, log position, additional rules as bits. */
  public static final TableSchema EVENTS =
      TableSchema.builder()
          .time("time")
          .number("msisdn")
          .number("log_partition")
          .number("log_offset")
          .number("log_index")
          .number("further")
          .build();

  /**
   * Usage records that match a rule, with the amounts, the match among the three rules, and
   * additional rules as bits.
   */
  public static final TableSchema JUDGED =
      TableSchema.builder()
          .time("time")
          .number("msisdn")
          .number("log_partition")
          .number("log_offset")
          .number("log_index")
          .number("quota_limit")
          .number("quota_used")
          .number("rule")
          .number("further")
          .build();

  /** Signals: time, subscriber, rule, and usage record. */
  public static final TableSchema SIGNALS =
      TableSchema.builder()
          .time("time")
          .number("msisdn")
          .text("rule")
          .number("quota_limit")
          .number("quota_used")
          .time("usage_time")
          .build();

  /** By subscriber, for {@link #EVENTS} and {@link #JUDGED}. */
  public static final RowKeys<TableBlock> BY_SUBSCRIBER =
      (block, hashes) -> {
        long[] subscribers = block.longs(MSISDN);
        for (int row = block.rows() - 1; row >= 0; row--) {
          hashes[row] = Hash.of(subscribers[row]);
        }
      };

  private QuotaRecords() {}

  /**
   * Index, among the records' columns, of each column of another table; −1 if the records do not
   * have it.
   */
  static int[] columns(RecordSchema records, TableSchema to) {
    TableSchema from = records.columnsWithPlace();
    return to.columns().stream().mapToInt(column -> from.indexOf(column.name())).toArray();
  }
}
