package io.millrace.analytics.ads;

import io.millrace.analytics.keyed.KeyColumns;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;

/** Schemas of ad events and of the counts. */
public final class AdRecords {
  static final int AD = 0;
  static final int KIND = 1;
  static final int TIME = 2;

  /** Column of {@link #COUNTS}. */
  public static final int WINDOW = 0;

  /** Column of {@link #COUNTS}. */
  public static final int CAMPAIGN = 1;

  /** Column of {@link #COUNTS}. */
  public static final int VIEWS = 2;

  /**
   * The benchmark's events, with the fields needed to count views; other fields ({@code user_id,
   * page_id, ad_type, ip_address}) are skipped.
   */
  public static final RecordSchema EVENTS =
      new RecordSchema(
          "ad_events",
          List.of(
              Field.text("ad_id", 1, 64),
              Field.text("event_type", 1, 32),
              Field.time("event_time")),
          "event_time",
          "ad_id");

  /** Views of a campaign in a window that starts at {@code window_start}. */
  public static final TableSchema COUNTS =
      TableSchema.builder().time("window_start").text("campaign").number("views").build();

  /** Key of {@link #COUNTS}. */
  public static final List<String> KEY = List.of("window_start", "campaign");

  /**
   * Keys counts by window and campaign, so that the windows of one campaign are distributed over
   * all subtasks.
   */
  public static final KeyColumns BY_WINDOW = KeyColumns.of(COUNTS, KEY.toArray(String[]::new));

  private AdRecords() {}
}
