package io.millrace.wire.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * The published Avro schema of a record, and those of earlier releases, by their fingerprints: the
 * 64-bit CRC of the canonical form (Avro 1.12, "Parsing Canonical Form for Schemas").
 *
 * <p>A new version is a further file and becomes the current one; the records of those before are
 * resolved by Avro's rules for ever.
 */
public final class GatewaySchema {
  private static final int VERSION = 2;

  private static final Map<Long, Schema> KNOWN = new HashMap<>();
  private static final String TEXT;
  private static final Schema CURRENT;
  private static final long FINGERPRINT;

  /** Longest text, and most items, that Avro takes memory for where bytes announce them. */
  private static final String MOST_ANNOUNCED = Integer.toString(1 << 20);

  static {
    // Read by Avro when it meets the first datum; it would believe lengths of 2 GiB otherwise.
    for (String limit :
        List.of("string.maxLength", "bytes.maxLength", "collectionItems.maxLength")) {
      String property = "org.apache.avro.limits." + limit;
      System.setProperty(property, System.getProperty(property, MOST_ANNOUNCED));
    }
    List<Schema> versions = new ArrayList<>();
    String text = "";
    for (int version = 1; version <= VERSION; version++) {
      text = read("gateway-record-" + version + ".avsc");
      Schema schema = new Schema.Parser().parse(text);
      versions.add(schema);
      KNOWN.put(fingerprint(schema), schema);
    }
    TEXT = text;
    CURRENT = versions.get(VERSION - 1);
    FINGERPRINT = fingerprint(CURRENT);
  }

  private GatewaySchema() {}

  private static String read(String name) {
    try (InputStream in = GatewaySchema.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The current schema, as JSON. */
  public static String text() {
    return TEXT;
  }

  /** Fingerprint of the current schema. */
  public static long fingerprint() {
    return FINGERPRINT;
  }

  static long fingerprint(Schema schema) {
    return SchemaNormalization.parsingFingerprint64(schema);
  }

  static Schema current() {
    return CURRENT;
  }

  /** The version with that fingerprint. */
  static Optional<Schema> known(long fingerprint) {
    return Optional.ofNullable(KNOWN.get(fingerprint));
  }

  /** A fingerprint as people compare it. */
  static String hex(long fingerprint) {
    return "0x%016x".formatted(fingerprint);
  }
}
