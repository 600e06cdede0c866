package io.millrace.wire.gateway;

import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.record.AvroData;
import io.millrace.wire.record.AvroReader;
import io.millrace.wire.record.RecordErrors;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;

/**
 * Decoder of gateway records in Avro. Records of the current schema are read directly, some 25
 * bytes each without objects; those of other versions by Avro's schema resolution.
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
final class AvroRecords implements AvroData {
  private static final int MOST_VARINT_BYTES = 10;

  /** Offset of the next varint; past the limit after a broken one. */
  private int at;

  private int limit;
  private byte[] bytes;
  private boolean isBroken;

  private int byPath;
  private GatewayBlock into;
  private RecordErrors errors;

  void wrap(int form, GatewayBlock block, RecordErrors wrong) {
    byPath = form;
    into = block;
    errors = wrong;
  }

  @Override
  public Schema schema() {
    return GatewaySchema.current();
  }

  @Override
  public long fingerprint() {
    return GatewaySchema.fingerprint();
  }

  @Override
  public Optional<Schema> known(long fingerprint) {
    return GatewaySchema.known(fingerprint);
  }

  @Override
  public int take(byte[] source, int offset, int end, int index, boolean mayHandOn) {
    bytes = source;
    at = offset;
    limit = end;
    isBroken = false;
    long idLength = varint();
    int idStart = at;
    if (idLength < 0 || idLength > limit - at) {
      return AvroReader.BROKEN;
    }
    at += (int) idLength;
    long millis = varint();
    long tx = varint();
    long rx = varint();
    long said = varint();
    if (isBroken || said < 0 || said > GatewayForm.ALL.size()) {
      return AvroReader.BROKEN;
    }
    int form = said == GatewayForm.UNSPECIFIED ? byPath : (int) said;
    if (check(source, idStart, (int) idLength, millis, tx, rx, form, index)) {
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

  private boolean check(
      byte[] id, int idStart, int idLength, long millis, long tx, long rx, int form, int index) {
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

  /** Bytes of a text as received, possibly invalid UTF-8. */
  private static byte[] bytes(Object text) {
    return text instanceof Utf8 utf8
        ? Arrays.copyOf(utf8.getBytes(), utf8.getByteLength())
        : text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void add(GenericRecord record, int index) {
    byte[] id = bytes(record.get("gateway_id"));
    long millis = (Long) record.get("date");
    long tx = (Long) record.get("ipTx");
    long rx = (Long) record.get("ipRx");
    int form =
        GatewayForm.labelled(record.get("form").toString()).map(GatewayForm::code).orElse(byPath);
    if (check(id, 0, id.length, millis, tx, rx, form, index)) {
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
