package io.millrace.analytics.app.subscriber;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.nio.charset.StandardCharsets;

/**
 * Owner of a tunnel and last known location.
 *
 * @param identity telephone number, IMSI if there is no number, or the keyed hash of either; null
 *     if only the location is known
 * @param area location, routeing or tracking area; −1 if unknown
 * @param cell cell or service area; −1 if unknown
 */
public record Subscriber(String identity, int area, long cell) {
  /** Neither identity nor location is known. */
  public static final Subscriber UNKNOWN = new Subscriber(null, -1, -1);

  /** Merges the known fields of an update. */
  public Subscriber with(Subscriber update) {
    boolean isElsewhere = update.area >= 0 || update.cell >= 0;
    return new Subscriber(
        update.identity == null ? identity : update.identity,
        isElsewhere ? update.area : area,
        isElsewhere ? update.cell : cell);
  }

  public void write(BlockBuffer out) {
    byte[] bytes = (identity == null ? "" : identity).getBytes(StandardCharsets.US_ASCII);
    out.putByte(bytes.length);
    out.put(bytes, 0, bytes.length);
    out.putInt(area);
    out.putLong(cell);
  }

  public static Subscriber read(BlockInput in) {
    int length = in.takeByte();
    String text = new String(in.bytes(), in.take(length), length, StandardCharsets.US_ASCII);
    Subscriber read = new Subscriber(text.isEmpty() ? null : text, in.takeInt(), in.takeLong());
    return read.equals(UNKNOWN) ? UNKNOWN : read;
  }
}
