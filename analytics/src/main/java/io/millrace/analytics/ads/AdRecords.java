package io.millrace.analytics.ads;

import io.millrace.analytics.keyed.KeyColumns;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;

/** The events, and the counts that are made of them. */
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
   * An event: of the benchmark's fields those that are needed to count views. The others ({@code
   * user_id, page_id, ad_type, ip_address}) are stepped over.
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

  /** Views of a campaign in a window, which begins at {@code window_start}. */
  public static final TableSchema COUNTS =
      TableSchema.builder().time("window_start").text("campaign").number("views").build();

  /** What of {@link #COUNTS} is counted for itself. */
  public static final List<String> KEY = List.of("window_start", "campaign");

  /** By window and campaign: one campaign's windows, too, are dealt out over all subtasks. */
  public static final KeyColumns BY_WINDOW = KeyColumns.of(COUNTS, KEY.toArray(String[]::new));

  private AdRecords() {}
}
