package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.util.Utf8;

/**
 * Records of gateways in Avro to columns. Those of the current schema are read by hand, some 25
 * bytes each and no object; those of other versions by Avro's own resolution.
 *
 * <pre>
 *   a datum of the current schema (Avro 1.12, "Binary Encoding"):
 *   +--------+-------+------+------+------+------+
 *   | length |  id   | date | ipTx | ipRx | form |    all numbers as zigzag varints
 *   +--------+-------+------+------+------+------+
 * </pre>
 *
 * Not thread-safe.
 */
final class AvroRecords {
  /** No place: what stands there is not a datum. */
  private static final int BROKEN = -1;

  private static final int MOST_VARINT_BYTES = 10;

  /** Where the next varint starts; past the limit once one was broken. */
  private int at;

  private int limit;
  private byte[] bytes;
  private boolean isBroken;

  /**
   * Reads a datum of the current schema. A wrong one is stepped over and told.
   *
   * @param byPath code of the form where the record says none
   * @return where the next one starts; negative if it is no datum
   */
  int take(
      byte[] source,
      int offset,
      int end,
      int index,
      int byPath,
      GatewayBlock into,
      GatewayErrors errors,
      boolean mayHandOn) {
    bytes = source;
    at = offset;
    limit = end;
    isBroken = false;
    long idLength = varint();
    int idStart = at;
    if (idLength < 0 || idLength > limit - at) {
      return BROKEN;
    }
    at += (int) idLength;
    long millis = varint();
    long tx = varint();
    long rx = varint();
    long said = varint();
    if (isBroken || said < 0 || said > GatewayForm.ALL.size()) {
      return BROKEN;
    }
    int form = said == GatewayForm.UNSPECIFIED ? byPath : (int) said;
    if (check(source, idStart, (int) idLength, millis, tx, rx, form, index, errors)) {
      into.add(
          source,
          idStart,
          (int) idLength,
          millis * GatewayRules.MICROS,
          tx,
          rx,
          form,
          mayHandOn ? offset : GatewayBlock.NOWHERE,
          mayHandOn ? at : GatewayBlock.NOWHERE);
    }
    return at;
  }

  /** A zigzag varint; anything, and {@link #isBroken}, where there is none. */
  private long varint() {
    byte[] source = bytes;
    int i = at;
    int last = Math.min(limit, i + MOST_VARINT_BYTES);
    long raw = 0;
    int shift = 0;
    while (i < last) {
      byte b = source[i++];
      raw |= (b & 0x7FL) << shift;
      if (b >= 0) {
        at = i;
        return (raw >>> 1) ^ -(raw & 1);
      }
      shift += 7;
    }
    isBroken = true;
    return -1;
  }

  private static boolean check(
      byte[] id,
      int idStart,
      int idLength,
      long millis,
      long tx,
      long rx,
      int form,
      int index,
      GatewayErrors errors) {
    if (!GatewayRules.isId(id, idStart, idLength)) {
      errors.add(index, "gateway_id", GatewayRules.WRONG_ID);
      return false;
    }
    String field = GatewayRules.wrongField(millis, tx, rx, form);
    if (field != null) {
      errors.add(index, field, GatewayRules.reason(field, form));
      return false;
    }
    return true;
  }

  /**
   * Reads a datum of another schema. Told and stepped over as above.
   *
   * @return where the next one starts; negative if it is no datum
   */
  static int takeOther(
      Schema writer,
      byte[] source,
      int offset,
      int end,
      int index,
      int byPath,
      GatewayBlock into,
      GatewayErrors errors) {
    ByteArrayInputStream in = new ByteArrayInputStream(source, offset, end - offset);
    try {
      // Reads no byte beyond the datum, so that what is left tells where it ended.
      BinaryDecoder decoder = DecoderFactory.get().directBinaryDecoder(in, null);
      GenericRecord record =
          new GenericDatumReader<GenericRecord>(writer, GatewaySchema.current())
              .read(null, decoder);
      add(record, index, byPath, into, errors);
      return end - in.available();
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // Avro has no one exception for bad bytes, and a schema that contains itself may say data as
      // deep as it is long.
      return BROKEN;
    }
  }

  /** The bytes of a text as they came: what is not UTF-8 stays that. */
  private static byte[] bytes(Object text) {
    return text instanceof Utf8 utf8
        ? Arrays.copyOf(utf8.getBytes(), utf8.getByteLength())
        : text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Adds a record that Avro has read, or tells what is wrong with it. */
  static void add(
      GenericRecord record, int index, int byPath, GatewayBlock into, GatewayErrors errors) {
    byte[] id = bytes(record.get("gateway_id"));
    long millis = (Long) record.get("date");
    long tx = (Long) record.get("ipTx");
    long rx = (Long) record.get("ipRx");
    int form =
        GatewayForm.labelled(record.get("form").toString()).map(GatewayForm::code).orElse(byPath);
    if (check(id, 0, id.length, millis, tx, rx, form, index, errors)) {
      into.add(
          id,
          0,
          id.length,
          millis * GatewayRules.MICROS,
          tx,
          rx,
          form,
          GatewayBlock.NOWHERE,
          GatewayBlock.NOWHERE);
    }
  }
}
