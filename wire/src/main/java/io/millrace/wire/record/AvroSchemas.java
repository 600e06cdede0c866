package io.millrace.wire.record;

import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * Reads schemas and gives their fingerprints: the 64-bit CRC of the canonical form (Avro 1.12,
 * "Parsing Canonical Form for Schemas").
 */
public final class AvroSchemas {
  /** Longest text, and most items, that Avro takes memory for where bytes announce them. */
  private static final String MOST_ANNOUNCED = Integer.toString(1 << 20);

  static {
    // Read by Avro when it meets the first datum; it would believe lengths of 2 GiB otherwise.
    for (String limit :
        List.of("string.maxLength", "bytes.maxLength", "collectionItems.maxLength")) {
      String property = "org.apache.avro.limits." + limit;
      System.setProperty(property, System.getProperty(property, MOST_ANNOUNCED));
    }
  }

  private AvroSchemas() {}

  /** The schema of a text in JSON. */
  public static Schema parse(String text) {
    return new Schema.Parser().parse(text);
  }

  /** The fingerprint of a schema. */
  public static long fingerprint(Schema schema) {
    return SchemaNormalization.parsingFingerprint64(schema);
  }

  /** A fingerprint as people compare it. */
  public static String hex(long fingerprint) {
    return "0x%016x".formatted(fingerprint);
  }
}
