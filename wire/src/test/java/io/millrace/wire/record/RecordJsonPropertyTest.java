package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.wire.block.TableBlock;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Any valid JSON gives the same rows as Jackson's tree of it. */
class RecordJsonPropertyTest {
  private static final ObjectMapper PLAIN = new ObjectMapper();
  private static final ObjectMapper ESCAPED =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final List<String> NAMES =
      List.of(
          "time",
          "subscriber",
          "used",
          "balance",
          "share",
          "granted",
          "plan",
          "until",
          "weight",
          "note",
          "other",
          "Time",
          "",
          "us\"ed",
          "não");
  private static final HexFormat LOWER = HexFormat.of();
  private static final HexFormat UPPER = LOWER.withUpperCase();
  private static final long NOW = 1_700_000_000_000L;

  private static String word(Random random) {
    int length = random.nextInt(8);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(
          switch (random.nextInt(6)) {
            case 0 -> random.nextInt(' ');
            case 1 -> 0x80 + random.nextInt(0x700);
            case 2 -> 0x4E00 + random.nextInt(0x1000);
            case 3 -> 0x1_F300 + random.nextInt(0x100);
            case 4 -> "\"\\/{}[]:,".charAt(random.nextInt(9));
            default -> 'a' + random.nextInt(26);
          });
    }
    return text.toString();
  }

  /** A text in JSON. */
  private static String quoted(Random random, String text) throws Exception {
    return switch (random.nextInt(3)) {
      case 0 -> PLAIN.writeValueAsString(text);
      case 1 -> ESCAPED.writeValueAsString(text);
      default -> escaped(random, text);
    };
  }

  /** Also with unnecessary escapes: of letters, and with hexadecimal digits in both cases. */
  private static String escaped(Random random, String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int point : text.codePoints().toArray()) {
      int way = random.nextInt(3);
      int shortAt = "\"\\/\b\f\n\r\t".indexOf(point);
      if (shortAt >= 0 && way == 0) {
        json.append('\\').append("\"\\/bfnrt".charAt(shortAt));
      } else if (way == 1 || point < ' ' || point == '"' || point == '\\') {
        for (char unit : Character.toChars(point)) {
          json.append("\\u").append((random.nextBoolean() ? LOWER : UPPER).toHexDigits(unit));
        }
      } else {
        json.appendCodePoint(point);
      }
    }
    return json.append('"').toString();
  }

  /** A number in one of its possible notations. */
  private static String number(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> Long.toString(random.nextLong());
      case 1 -> Integer.toString(random.nextInt(100));
      case 2 -> Double.toString(random.nextGaussian());
      case 3 -> Double.toString(Double.longBitsToDouble(random.nextLong() & ~(1L << 62)));
      case 4 -> random.nextInt(10) + "." + random.nextInt(1_000) + "e" + (random.nextInt(40) - 20);
      case 5 -> BigDecimal.valueOf(random.nextLong(), random.nextInt(30)).toPlainString();
      case 6 -> random.nextInt(1_000) + "E+" + random.nextInt(3);
      default -> "-0" + ".0".repeat(random.nextInt(2));
    };
  }

  private static String value(Random random, int depth) throws Exception {
    return switch (random.nextInt(depth > 2 ? 6 : 8)) {
      case 0 -> "null";
      case 1 -> random.nextBoolean() ? "true" : "false";
      case 2, 3 -> number(random);
      case 4 -> quoted(random, word(random));
      case 5 -> Long.toString(NOW + random.nextInt());
      case 6 -> {
        List<String> items = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          items.add(value(random, depth + 1));
        }
        yield "[" + String.join(blank(random) + ",", items) + "]";
      }
      default -> object(random, new ArrayList<>(NAMES.subList(0, random.nextInt(4))), depth + 1);
    };
  }

  private static String right(Random random, String name) throws Exception {
    return switch (name) {
      case "time" -> Long.toString(NOW + random.nextInt());
      case "until" -> "\"" + NOW / 1_000 + "\"";
      case "subscriber", "plan", "note" -> quoted(random, "s" + word(random));
      case "granted" -> random.nextBoolean() ? "true" : "false";
      case "used" -> Integer.toString(random.nextInt(1 << 30));
      default -> number(random);
    };
  }

  private static String blank(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> " ";
      case 1 -> "\r\n\t";
      default -> "";
    };
  }

  private static String object(Random random, List<String> names, int depth) throws Exception {
    List<String> fields = new ArrayList<>();
    for (String name : names) {
      String value = random.nextInt(12) == 0 ? value(random, depth) : right(random, name);
      fields.add(
          blank(random) + quoted(random, name) + blank(random) + ":" + blank(random) + value);
    }
    return "{" + String.join(blank(random) + ",", fields) + blank(random) + "}";
  }

  private static Long whole(JsonNode node) {
    if (!node.isNumber()) {
      return node.isTextual() && node.textValue().matches("-?(0|[1-9][0-9]{0,17})")
          ? Long.valueOf(node.textValue())
          : null;
    }
    try {
      return node.decimalValue().longValueExact();
    } catch (ArithmeticException e) {
      return null;
    }
  }

  private static boolean isBetween(Long value, long min, long max) {
    return value != null && value >= min && value <= max;
  }

  /** The expected row; null if the record is invalid. */
  private static List<String> row(ObjectNode record) {
    List<String> row = new ArrayList<>();
    for (var field : Usage.SCHEMA.fields()) {
      JsonNode node = record.get(field.name());
      if (node == null || node.isNull()) {
        if (field.required()) {
          return null;
        }
        Object absent = field.absent();
        row.add(absent == null ? null : absent == Boolean.FALSE ? "0" : absent.toString());
        continue;
      }
      String text =
          switch (field.type()) {
            case NUMBER -> {
              Long value = whole(node);
              yield isBetween(value, field.min(), field.max()) ? value.toString() : null;
            }
            case TIME -> {
              Long value = whole(node);
              long each = field.unit().toMicros(1);
              yield isBetween(value, 946_684_800_000_000L / each, 4_102_444_800_000_000L / each)
                  ? Long.toString(value * each)
                  : null;
            }
            case FRACTION -> {
              double value = node.doubleValue();
              yield !node.isNumber()
                      || Double.isInfinite(value)
                      || (field.min() != Long.MIN_VALUE
                          && (value < field.min() || value > field.max()))
                  ? null
                  : Double.toString(value);
            }
            case CHOICE -> throw new AssertionError("none has a choice");
            case FLAG -> node.isBoolean() ? node.booleanValue() ? "1" : "0" : null;
            case TEXT -> {
              int length =
                  node.isTextual() ? node.textValue().getBytes(StandardCharsets.UTF_8).length : -1;
              boolean isWrongKey =
                  field.name().equals(Usage.SCHEMA.key())
                      && node.isTextual()
                      && node.textValue().chars().anyMatch(Character::isISOControl);
              yield length < field.min() || length > field.max() || isWrongKey
                  ? null
                  : node.textValue();
            }
          };
      if (text == null) {
        return null;
      }
      row.add(text);
    }
    return row;
  }

  private static List<String> withoutSignOfZero(List<String> row) {
    return row.stream().map(value -> "-0.0".equals(value) ? "0.0" : value).toList();
  }

  @Property(tries = 3_000)
  void isReadAsJacksonReadsIt(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    List<String> texts = new ArrayList<>();
    List<List<String>> expected = new ArrayList<>();
    int wrong = 0;
    ObjectMapper reader =
        JsonMapper.builder()
            .enable(
                com.fasterxml.jackson.databind.DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    for (int i = random.nextInt(6); i >= 0; i--) {
      List<String> names = new ArrayList<>(NAMES);
      if (random.nextBoolean()) {
        Collections.shuffle(names, random);
      }
      if (random.nextInt(3) == 0) {
        names.remove(random.nextInt(names.size()));
      }
      String text = object(random, names, 0);
      texts.add(text);
      List<String> row = row((ObjectNode) reader.readTree(text));
      if (row == null) {
        wrong++;
      } else {
        expected.add(withoutSignOfZero(row));
      }
    }
    boolean isArray = random.nextBoolean();
    String all =
        isArray
            ? blank(random) + "[" + String.join(",", texts) + "]"
            : String.join(random.nextBoolean() ? "\n" : "", texts);
    RecordErrors errors = new RecordErrors();
    TableBlock block = Usage.decodeJson(all, errors);
    assertThat(Usage.rows(block).stream().map(RecordJsonPropertyTest::withoutSignOfZero))
        .as(all + errors.list())
        .containsExactlyElementsOf(expected);
    assertThat(errors.count()).as(all).isEqualTo(wrong);
    assertThat(errors.isTruncated()).isFalse();
  }
}
