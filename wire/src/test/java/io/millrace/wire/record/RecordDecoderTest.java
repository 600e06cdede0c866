package io.millrace.wire.record;

import static java.util.Arrays.asList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordErrors.InvalidRecord;
import io.millrace.wire.record.RecordSchema.Field;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordDecoderTest {
  private static final String MIN = "{\"time\":1700000000000,\"subscriber\":\"s\",\"used\":7%s}";
  private static final List<String> MIN_ROW =
      asList("1700000000000000", "s", "7", null, "0.5", "0", "basic", null, null, null);

  private final RecordErrors errors = new RecordErrors();

  private List<List<String>> json(String text) {
    return Usage.rows(Usage.decodeJson(text, errors));
  }

  @Test
  void missingFieldsHaveTheirDefault() {
    assertThat(json(MIN.formatted(""))).containsExactly(MIN_ROW);
    assertThat(json(MIN.formatted(",\"share\":null,\"other\":{\"used\":[9,\"}\"]}")))
        .containsExactly(MIN_ROW);
    assertThat(errors.isEmpty()).isTrue();
  }

  @Test
  void theLastValueOfARepeatedFieldIsUsed() {
    assertThat(json(MIN.formatted(",\"used\":9,\"used\":7,\"share\":3,\"share\":null")))
        .containsExactly(MIN_ROW);
    assertThat(json(MIN.formatted(",\"subscriber\":null"))).isEmpty();
    assertThat(errors.list())
        .containsExactly(new InvalidRecord(0, "subscriber", RecordRow.MISSING));
  }

  @Test
  void valuesAreReadAsTheyAreWritten() {
    String text =
        "{\"note\":\"a\\u00e9\\n\",\"weight\":2.5,\"until\":\"1700000000\","
            + "\"plan\":\"\",\"granted\":true,\"share\":3,\"balance\":\"-12\",\"used\":1e3,"
            + "\"subscriber\":\"s\\u0075b\",\"time\":\"2023-11-14T22:13:20.5Z\"}";
    assertThat(json(text + "\n" + MIN.formatted("")))
        .containsExactly(
            asList(
                "1700000000500000",
                "sub",
                "1000",
                "-12",
                "3.0",
                "1",
                "",
                "1700000000000000",
                "2.5",
                "aé\n"),
            MIN_ROW);
    assertThat(errors.isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"used\":-1 | used | expected a whole number from 0 to 1000000000000",
        "\"used\":1.5 | used | expected a whole number from 0 to 1000000000000",
        "\"used\":\"x\" | used | expected a whole number from 0 to 1000000000000",
        "\"used\":[1] | used | expected a whole number from 0 to 1000000000000",
        "\"used\":null | used | missing",
        "\"subscriber\":\"\" | subscriber | expected 1 to 32 bytes of UTF-8 text without control characters",
        "\"subscriber\":\"\\ud800\" | subscriber | expected 1 to 32 bytes of UTF-8 text without control characters",
        "\"subscriber\":\"a\\u009bb\" | subscriber | expected 1 to 32 bytes of UTF-8 text without control characters",
        "\"subscriber\":5 | subscriber | expected 1 to 32 bytes of UTF-8 text without control characters",
        "\"granted\":1 | granted | expected true or false",
        "\"granted\":\"true\" | granted | expected true or false",
        "\"share\":1e999 | share | expected a finite number",
        "\"share\":\"1\" | share | expected a finite number",
        "\"weight\":10.5 | weight | expected a number from -10 to 10",
        "\"time\":1700000000 | time | expected milliseconds since the epoch, from the year 2000"
            + " to 2100",
        "\"time\":\"yesterday\" | time | expected milliseconds since the epoch, from the year"
            + " 2000 to 2100",
      })
  void anInvalidRecordIsReportedAndTheOthersAreKept(String field, String name, String reason) {
    String invalid = MIN.formatted("," + field);
    assertThat(json(MIN.formatted("") + "\n" + invalid + "\n" + MIN.formatted("")))
        .containsExactly(MIN_ROW, MIN_ROW);
    assertThat(errors.list()).containsExactly(new InvalidRecord(1, name, reason));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"time\":01}", "{\"used\":+1}", "{\"share\":1.}", "{\"share\":.5}", "{]"})
  void invalidJsonIsReported(String text) {
    assertThat(json(text + "\n" + MIN.formatted(""))).containsExactly(MIN_ROW);
    assertThat(errors.count()).isEqualTo(1);
  }

  private static GenericRecord record(Schema schema, long used) {
    GenericRecord record = new GenericData.Record(schema);
    record.put("time", 1_700_000_000_000L);
    record.put("subscriber", "süb");
    record.put("used", used);
    return record;
  }

  private static GenericRecord full(long used) {
    Schema schema = Usage.SCHEMA.avroSchema();
    GenericRecord record = record(schema, used);
    record.put("balance", -5L);
    record.put("share", 0.25);
    record.put("granted", true);
    record.put("plan", "gold");
    record.put("until", 1_700_000_000L);
    record.put("weight", null);
    record.put("note", "");
    return record;
  }

  private static final List<String> FULL_ROW =
      asList(
          "1700000000000000", "süb", "7", "-5", "0.25", "1", "gold", "1700000000000000", null, "");

  private static byte[] container(Schema schema, List<GenericRecord> records, CodecFactory codec)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema))) {
      writer.setCodec(codec);
      writer.create(schema, out);
      for (GenericRecord record : records) {
        writer.append(record);
      }
    }
    return out.toByteArray();
  }

  @Test
  void readsAvroOfThePublishedSchema() throws IOException {
    Schema schema = Usage.SCHEMA.avroSchema();
    assertThat(new Schema.Parser().parse(Usage.SCHEMA.avro())).isEqualTo(schema);
    for (CodecFactory codec : List.of(CodecFactory.nullCodec(), CodecFactory.deflateCodec(6))) {
      byte[] file = container(schema, List.of(full(7), full(-1), full(7)), codec);
      RecordErrors invalid = new RecordErrors();
      assertThat(Usage.rows(Usage.decode(RecordEncoding.AVRO, file, invalid)))
          .containsExactly(FULL_ROW, FULL_ROW);
      assertThat(invalid.list()).extracting(InvalidRecord::index).containsExactly(1);
    }
    ByteBuffer single =
        new BinaryMessageEncoder<GenericRecord>(GenericData.get(), schema).encode(full(7));
    byte[] bytes = new byte[single.remaining()];
    single.get(bytes);
    assertThat(Usage.rows(Usage.decode(RecordEncoding.AVRO, bytes, errors)))
        .containsExactly(FULL_ROW);
    bytes[3]++;
    assertThat(Usage.decode(RecordEncoding.AVRO, bytes, errors).rows()).isZero();
    assertThat(errors.list().get(0).reason()).contains("unknown schema fingerprint");
  }

  @Test
  void readsAvroOfAnotherSchemaThatResolves() throws IOException {
    Schema other =
        SchemaBuilder.record("UsageEvent")
            .namespace("com.example")
            .fields()
            .requiredInt("used")
            .requiredString("region")
            .requiredString("subscriber")
            .requiredLong("time")
            .endRecord();
    GenericRecord record = new GenericData.Record(other);
    record.put("used", 7);
    record.put("region", "north");
    record.put("subscriber", "s");
    record.put("time", 1_700_000_000_000L);
    byte[] file = container(other, List.of(record), CodecFactory.nullCodec());
    assertThat(Usage.rows(Usage.decode(RecordEncoding.AVRO, file, errors)))
        .as(errors.list().toString())
        .containsExactly(MIN_ROW);
  }

  @Test
  void aSchemaIsChecked() {
    Field time = Field.time("time");
    Field key = Field.text("key", 1, 10);
    assertThatThrownBy(() -> new RecordSchema("x", List.of(time, key, key), "time", "key"))
        .hasMessageContaining("'key' is a duplicate");
    assertThatThrownBy(() -> new RecordSchema("x", List.of(time, key), "key", "key"))
        .hasMessageContaining("event time 'key'");
    assertThatThrownBy(() -> new RecordSchema("x", List.of(time, key.orNull()), "time", "key"))
        .hasMessageContaining("key 'key'");
    assertThatThrownBy(() -> new RecordSchema("x", List.of(time), "time", "key"))
        .hasMessageContaining("unknown field 'key'");
    assertThatThrownBy(() -> new RecordSchema("X", List.of(time, key), "time", "key"))
        .hasMessageContaining("lower-case");
    assertThatThrownBy(() -> Field.flag("granted").orElse(1L))
        .hasMessageContaining("invalid default 1 for the type FLAG");
  }

  @Test
  void recordsOfAnEarlierSchemaAreReadWithTheCurrentColumns() {
    TableBlock old = Usage.decodeJson(MIN.formatted("") + MIN.formatted(""), errors);
    RecordSchema now =
        new RecordSchema(
            "usage",
            List.of(
                Field.text("subscriber", 1, 32),
                Field.time("time"),
                Field.text("cell", 0, 9).orElse("none"),
                Field.number("tries", 0, 9).orElse(1L),
                Field.number("used", 0, 9)),
            "time",
            "subscriber");
    TableBlock placed = new RecordColumns(now).place(old, 3, 17, 5).orElseThrow();
    assertThat(placed.schema()).isEqualTo(now.columnsWithPlace());
    assertThat(Usage.rows(placed))
        .containsExactly(
            List.of("s", "1700000000000000", "none", "1", "7", "3", "17", "0", "5"),
            List.of("s", "1700000000000000", "none", "1", "7", "3", "17", "1", "5"));
    TableBlock other =
        new TableBlock(
            TableSchema.builder().time("time").text("subscriber").text("used").build(), 0);
    assertThat(new RecordColumns(now).place(other, 0, 0, 0)).isEmpty();
  }
}
