package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GatewayRecordsTest {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private static final String GOOD =
      "{\"gateway_id\":\"gw-1\",\"date\":1700000000000,\"ipTx\":5,\"ipRx\":7,\"form\":\"counter\"}";
  private static final String GOOD_ROW = "gw-1 1700000000000000 5 7 counter";

  private final RecordDecoder decoder = new RecordDecoder(GatewayRecords.SCHEMA);
  private final TableBlock block = GatewayRecords.block(0);
  private final RecordErrors errors = new RecordErrors();

  private int decode(String json, RecordAttributes attributes) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    return decoder.decode(
        RecordEncoding.JSON, bytes, 0, bytes.length, attributes, block, errors, 1 << 24);
  }

  private int decode(byte[] avro) {
    return decoder.decode(
        RecordEncoding.AVRO,
        avro,
        0,
        avro.length,
        GatewayBlocks.attribute("form", "rate"),
        block,
        errors,
        1 << 24);
  }

  private List<String> told() {
    return errors.list().stream()
        .map(error -> error.index() + " " + error.field() + ": " + error.reason())
        .toList();
  }

  private void assertOnlyError(String json, String error) {
    block.clear();
    errors.clear();
    decode(json, RecordAttributes.NONE);
    assertThat(block.rows()).isZero();
    assertThat(told()).singleElement().asString().startsWith(error);
  }

  @Test
  void readsFieldsInAnyOrderAndStepsOverOthers() {
    decode(
        """
        { "ipRx" : 7, "x": {"y": [1, "]}", null, {"z": true}]}, "form":"counter",
          "date":1700000000000, "gateway_id":"gw-1" , "ipTx":5 }
        """,
        RecordAttributes.NONE);

    assertThat(told()).isEmpty();
    assertThat(GatewayBlocks.rows(block)).containsExactly(GOOD_ROW);
  }

  @Test
  void takesTheFormFromTheRequestWhereTheRecordHasNone() {
    String bare = "{\"gateway_id\":\"g\",\"date\":1700000000000,\"ipTx\":5,\"ipRx\":7";
    decode(
        bare + "}" + bare + ",\"form\":null}" + GOOD,
        GatewayBlocks.attribute("form", "cumulative"));

    assertThat(GatewayBlocks.rows(block))
        .containsExactly(
            "g 1700000000000000 5 7 cumulative", "g 1700000000000000 5 7 cumulative", GOOD_ROW);
  }

  @Test
  void roundsFractionsAndReadsExponents() {
    decode(
        GOOD.replace(":5,", ":4.5,").replace(":7,", ":0.7E1,").replace("1700000000000", "17e11"),
        RecordAttributes.NONE);

    assertThat(GatewayBlocks.rows(block)).containsExactly(GOOD_ROW);
  }

  @Test
  void readsEscapedIds() {
    decode(GOOD.replace("gw-1", "a\\u0062\\/\\\"\\ud83d\\ude00"), RecordAttributes.NONE);

    assertThat(block.texts(GatewayRecords.ID).get(0)).isEqualTo("ab/\"😀");
  }

  @Test
  void tellsFieldAndReason() {
    assertOnlyError(GOOD.replace("gateway_id", "id"), "0 gateway_id: missing");
    assertOnlyError(GOOD.replace("\"date\"", "\"day\""), "0 date: missing");
    assertOnlyError(GOOD.replace("ipTx", "tx"), "0 ipTx: missing");
    assertOnlyError(GOOD.replace("ipRx", "rx"), "0 ipRx: missing");
    assertOnlyError(GOOD.replace("form", "f"), "0 form: missing in both");
    assertOnlyError(
        GOOD.replace("counter", "count"), "0 form: expected counter, cumulative or rate");
    assertOnlyError(GOOD.replace("\"gw-1\"", "17"), "0 gateway_id: expected 1 to 64 bytes");
    assertOnlyError(GOOD.replace("gw-1", ""), "0 gateway_id: expected 1 to 64 bytes");
    assertOnlyError(GOOD.replace("gw-1", "g".repeat(65)), "0 gateway_id: expected 1 to 64 bytes");
    assertOnlyError(GOOD.replace("gw-1", "a\\u0000"), "0 gateway_id: expected 1 to 64 bytes");
    assertOnlyError(GOOD.replace("1700000000000", "1700000000"), "0 date: expected milliseconds");
    assertOnlyError(GOOD.replace("1700000000000", "\"now\""), "0 date: expected milliseconds");
    assertOnlyError(GOOD.replace(":5", ":-5"), "0 ipTx: expected a whole number from 0");
    assertOnlyError(GOOD.replace(":7", ":1e30"), "0 ipRx: expected a whole number from 0");
    assertOnlyError(
        GOOD.replace(":7", ":9223372036854775808"), "0 ipRx: expected a whole number from 0");
    assertOnlyError(GOOD.replace(":7", ":1e999999999"), "0 ipRx: expected a whole number from 0");
    assertOnlyError(GOOD.replace("}", ""), "0 : invalid JSON at byte");
    assertOnlyError("17", "0 : expected an object");
  }

  @Test
  void continuesAfterAnInvalidRecordOfAnArray() {
    int count =
        decode("[" + GOOD + ",{\"date\":1700000000000}, " + GOOD + "]", RecordAttributes.NONE);

    assertThat(count).isEqualTo(3);
    assertThat(GatewayBlocks.rows(block)).containsExactly(GOOD_ROW, GOOD_ROW);
    assertThat(told()).containsExactly("1 gateway_id: missing");
    assertThat(errors.isTruncated()).isFalse();
  }

  @Test
  void continuesWithTheNextLineAfterInvalidJson() {
    int count = decode(GOOD + "\n{\"date\": nothing}\n" + GOOD + "\n", RecordAttributes.NONE);

    assertThat(count).isEqualTo(3);
    assertThat(block.rows()).isEqualTo(2);
    assertThat(errors.count()).isEqualTo(1);
    assertThat(errors.list().get(0).index()).isEqualTo(1);
  }

  @Test
  void skipsNonObjectsInAnArray() {
    decode("[7, " + GOOD + ", [1, \"]\"], null, " + GOOD + "]", RecordAttributes.NONE);

    assertThat(GatewayBlocks.rows(block)).containsExactly(GOOD_ROW, GOOD_ROW);
    assertThat(errors.list()).extracting(error -> error.index()).containsExactly(0, 2, 3);
    assertThat(errors.isTruncated()).isFalse();
  }

  @Test
  void endsWhereAnArrayIsBroken() {
    decode("[" + GOOD + ",{\"date\" 1}," + GOOD + "]", RecordAttributes.NONE);

    assertThat(block.rows()).isEqualTo(1);
    assertThat(errors.isTruncated()).isTrue();
    assertThat(errors.list().get(0).index()).isEqualTo(1);
  }

  @Test
  void anArrayMustEndAndNothingMayFollow() {
    assertThat(decode("[]", RecordAttributes.NONE)).isZero();
    assertThat(told()).isEmpty();
    decode("[" + GOOD, RecordAttributes.NONE);
    decode("[] x", RecordAttributes.NONE);
    assertThat(told()).hasSize(2);
  }

  @Test
  void rejectsAnUnknownFingerprint() {
    byte[] bytes =
        ByteBuffer.allocate(12)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putShort((short) 0x01C3)
            .putLong(17)
            .array();
    decode(bytes);

    assertThat(told()).singleElement().asString().contains("0x0000000000000011");
    assertThat(errors.isTruncated()).isTrue();
  }

  @Test
  void readsContainersOfOtherSchemasByAvrosRules() throws IOException {
    Schema other =
        SchemaBuilder.record("GatewayRecord")
            .namespace("io.millrace.gateway")
            .fields()
            .requiredInt("ipRx")
            .requiredString("comment")
            .requiredLong("date")
            .requiredString("gateway_id")
            .requiredInt("ipTx")
            .endRecord();
    GenericRecord record = new GenericData.Record(other);
    record.put("gateway_id", "gw-1");
    record.put("comment", "of no use");
    record.put("date", 1_700_000_000_000L);
    record.put("ipTx", 5);
    record.put("ipRx", 7);
    for (CodecFactory codec : List.of(CodecFactory.nullCodec(), CodecFactory.deflateCodec(6))) {
      block.clear();
      assertThat(decode(container(other, record, codec))).isEqualTo(1);
      assertThat(told()).isEmpty();
      assertThat(GatewayBlocks.rows(block)).containsExactly("gw-1 1700000000000000 5 7 rate");
    }
  }

  private static byte[] container(Schema schema, GenericRecord record, CodecFactory codec)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema)).setCodec(codec)) {
      writer.create(schema, out).append(record);
    }
    return out.toByteArray();
  }

  @Test
  void idsWithControlCharactersAreRejected() {
    for (String control :
        List.of("\\u0000", "\\u001b", "\\u007f", "\\u0080", "\\u009b", "\\u009f")) {
      assertOnlyError(GOOD.replace("gw-1", "gw" + control), "0 gateway_id: ");
    }
  }

  /** Both would become the same question mark. */
  @Test
  void idsWithAnUnpairedSurrogateAreRejected() {
    for (String half : List.of("\\ud800", "a\\udfff", "\\ud83d\\u0041", "\\ud83d")) {
      assertOnlyError(GOOD.replace("gw-1", half), "0 gateway_id: ");
    }
    block.clear();
    errors.clear();
    decode(GOOD.replace("gw-1", "\\ud83d\\ude00\\u00e9\\u20ac/\\n"), RecordAttributes.NONE);
    assertThat(told()).singleElement().asString().contains("gateway_id"); // a control character
    errors.clear();
    decode(GOOD.replace("gw-1", "\\ud83d\\ude00\\u00e9\\u20ac"), RecordAttributes.NONE);
    assertThat(told()).isEmpty();
    assertThat(block.texts(GatewayRecords.ID).get(0)).isEqualTo("\ud83d\ude00\u00e9\u20ac");
  }

  @Test
  void idsThatAreNotUtf8AreRejectedAlsoWithAnEscape() {
    byte[] bytes = GOOD.replace("gw-1", "\\u0041~").getBytes(StandardCharsets.UTF_8);
    bytes[new String(bytes, StandardCharsets.US_ASCII).indexOf('~')] = (byte) 0xFF;
    decoder.decode(
        RecordEncoding.JSON, bytes, 0, bytes.length, RecordAttributes.NONE, block, errors, 1 << 24);
    assertThat(block.rows()).isZero();
    assertThat(told()).singleElement().asString().startsWith("0 gateway_id: ");
  }

  @Test
  void rejectsImpossibleValues() {
    assertOnlyError(
        GOOD.replace(":5,", ":9223372036854775807,"),
        "0 ipTx: expected a whole number from 0 to 1000000000000000000");
    assertOnlyError(GOOD.replace(":7,", ":1000000000000000001,"), "0 ipRx: ");
    errors.clear();
    decode(GOOD.replace(":5,", ":1000000000000000000,"), RecordAttributes.NONE);
    assertThat(told()).isEmpty();
  }

  /** A container of one block. */
  private static byte[] container(String schema, boolean isDeflated, long count, byte[] data)
      throws IOException {
    BlockBuffer out = new BlockBuffer(64);
    out.put(new byte[] {'O', 'b', 'j', 1}, 0, 4);
    Varints.put(2, out);
    for (String text :
        List.of("avro.schema", schema, "avro.codec", isDeflated ? "deflate" : "null")) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      Varints.put(utf8.length, out);
      out.put(utf8, 0, utf8.length);
    }
    Varints.put(0, out);
    out.put(new byte[16], 0, 16);
    byte[] block = data;
    if (isDeflated) {
      ByteArrayOutputStream deflated = new ByteArrayOutputStream();
      try (OutputStream deflater =
          new DeflaterOutputStream(deflated, new Deflater(Deflater.BEST_COMPRESSION, true))) {
        deflater.write(data);
      }
      block = deflated.toByteArray();
    }
    Varints.put(count, out);
    Varints.put(block.length, out);
    out.put(block, 0, block.length);
    out.put(new byte[16], 0, 16);
    return out.toBytes();
  }

  @Test
  void stopsAtTheLimitOfInflatedBytes() throws IOException {
    TableBlock rows = GatewayRecords.block(1);
    GatewayBlocks.add(rows, "g", 1_700_000_000_000L, 1, 2, GatewayForm.COUNTER);
    BlockBuffer datum = new BlockBuffer(64);
    ENCODER.datum(rows, 0, datum);
    int count = 10_000;
    BlockBuffer data = new BlockBuffer(64);
    for (int i = 0; i < count; i++) {
      data.put(datum.bytes(), 0, datum.length());
    }
    byte[] file = container(GatewayRecords.SCHEMA.avro(), true, count, data.toBytes());
    assertThat(file.length).isLessThan(3_000);
    for (int max : new int[] {data.length(), data.length() - 1, 1_000}) {
      block.clear();
      errors.clear();
      decoder.decode(
          RecordEncoding.AVRO, file, 0, file.length, RecordAttributes.NONE, block, errors, max);
      boolean fits = max == data.length();
      assertThat(errors.isOversized()).isEqualTo(!fits);
      assertThat(block.rows()).isEqualTo(fits ? count : 0);
    }
  }

  /**
   * Schemas with mutually nested records, or arrays of empty items, can announce any number of
   * items.
   */
  @Test
  @Timeout(60)
  void schemasThatAnnounceMoreThanTheirBytesAreRejected() throws IOException {
    StringBuilder nested = new StringBuilder("\"null\"");
    for (int depth = 0; depth < 26; depth++) {
      nested.insert(
          0,
          "{\"type\":\"record\",\"name\":\"R%d\",\"fields\":[{\"name\":\"a\",\"type\":"
              .formatted(depth));
      String again = depth == 0 ? "\"null\"" : "\"R" + (depth - 1) + "\"";
      nested.append("},{\"name\":\"b\",\"type\":" + again + "}]}");
    }
    String fields = GatewayRecords.SCHEMA.avro();
    int at = fields.indexOf('[') + 1;
    for (String type : List.of(nested.toString(), "{\"type\":\"array\",\"items\":\"null\"}")) {
      String schema =
          fields.substring(0, at)
              + "{\"name\":\"more\",\"type\":"
              + type
              + "},"
              + fields.substring(at);
      errors.clear();
      decode(container(schema, false, 1, new byte[100]));
      assertThat(told()).singleElement().asString().contains("256 parts");
    }
  }

  @Test
  void reportsAnUnreadableSchemaOrCodec() {
    BlockBuffer out = new BlockBuffer(64);
    ENCODER.container(block, new byte[16], out);
    byte[] bytes = out.toBytes();
    for (String word : List.of("record\"", "null")) {
      byte[] broken = bytes.clone();
      int at = new String(broken, StandardCharsets.ISO_8859_1).lastIndexOf(word);
      broken[at]++;
      errors.clear();
      decode(broken);
      assertThat(errors.count()).as(word).isEqualTo(1);
    }
  }

  @Test
  void theFlagOfHistoryIsOfTheRecordOrTheRequest() {
    String history = GOOD.replace("}", ",\"backfill\":true}");
    decode(GOOD + history, RecordAttributes.NONE);
    decode(
        GOOD + GOOD.replace("}", ",\"backfill\":false}"),
        GatewayBlocks.attribute("backfill", "true"));
    assertThat(told()).isEmpty();
    assertThat(Arrays.copyOf(block.longs(GatewayRecords.BACKFILL), 4)).containsExactly(0, 1, 1, 0);
    assertThatThrownBy(() -> GatewayBlocks.attribute("form", "count"))
        .hasMessage("form: count: expected counter, cumulative or rate");
  }
}
