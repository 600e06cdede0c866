package io.millrace.wire.record;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;

/** The stream of gateways' records: the schema, and its columns. */
public final class GatewayRecords {
  /**
   * Bytes that a gateway has sent and received, as counted in a form. The numbers are bounded so
   * that their sum fits a {@code long}.
   */
  public static final RecordSchema SCHEMA =
      new RecordSchema(
          "gateways",
          List.of(
              Field.text("gateway_id", 1, 64),
              Field.time("date").round(),
              Field.number("ipTx", 0, 1_000_000_000_000_000_000L).round(),
              Field.number("ipRx", 0, 1_000_000_000_000_000_000L).round(),
              Field.choice("form", GatewayForm.ALL.stream().map(GatewayForm::label).toList())
                  .orOfRequest(),
              Field.flag("backfill").orElse(false).orOfRequest()),
          "date",
          "gateway_id");

  /** Column of the gateway's id. */
  public static final int ID = 0;

  /** Column of the time. */
  public static final int TIME = 1;

  /** Column of the bytes sent, or bytes per second. */
  public static final int TX = 2;

  /** Column of the bytes received, or bytes per second. */
  public static final int RX = 3;

  /** Column of the form, as {@link GatewayForm#code}. */
  public static final int FORM = 4;

  /** Column of the flag of history. */
  public static final int BACKFILL = 5;

  /** Column of the arrival, in blocks of {@link RecordSchema#columnsWithPlace}. */
  public static final int ARRIVAL = 9;

  private GatewayRecords() {}

  /** An empty block of records. */
  public static TableBlock block(int capacity) {
    return new TableBlock(SCHEMA.columns(), capacity);
  }

  /** Adds a live record. */
  public static void add(
      TableBlock block, byte[] id, long micros, long sent, long received, GatewayForm form) {
    block.reserve(1);
    int row = block.rows();
    block.texts(ID).add(id, 0, id.length);
    block.longs(TIME)[row] = micros;
    block.longs(TX)[row] = sent;
    block.longs(RX)[row] = received;
    block.longs(FORM)[row] = form.code();
    block.longs(BACKFILL)[row] = 0;
    block.rows(row + 1);
  }
}
