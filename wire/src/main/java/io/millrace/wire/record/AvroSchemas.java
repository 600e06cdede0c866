package io.millrace.wire.record;

import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * Parser of schemas and their fingerprints: the 64-bit CRC of the canonical form (Avro 1.12,
 * "Parsing Canonical Form for Schemas").
 */
public final class AvroSchemas {
  /** Limit of announced lengths of texts and collections, by which Avro allocates memory. */
  private static final String MAX_ANNOUNCED = Integer.toString(1 << 20);

  static {
    // Avro reads this at the first datum; otherwise it accepts lengths of 2 GiB.
    for (String limit :
        List.of("string.maxLength", "bytes.maxLength", "collectionItems.maxLength")) {
      String property = "org.apache.avro.limits." + limit;
      System.setProperty(property, System.getProperty(property, MAX_ANNOUNCED));
    }
  }

  private AvroSchemas() {}

  /** Parses a schema in JSON. */
  public static Schema parse(String text) {
    return new Schema.Parser().parse(text);
  }

  /** The fingerprint of a schema. */
  public static long fingerprint(Schema schema) {
    return SchemaNormalization.parsingFingerprint64(schema);
  }

  /** A fingerprint in hexadecimal. */
  public static String hex(long fingerprint) {
    return "0x%016x".formatted(fingerprint);
  }
}
