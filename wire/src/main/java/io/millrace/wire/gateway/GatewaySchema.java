package io.millrace.wire.gateway;

import io.millrace.wire.record.AvroSchemas;
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

/**
 * The published Avro schema of a record, and those of earlier releases, by their {@linkplain
 * AvroSchemas fingerprints}.
 *
 * <p>A new version is a new file and becomes the current one; records of older versions are
 * resolved by Avro's rules for ever.
 */
public final class GatewaySchema {
  private static final int VERSION = 2;

  private static final Map<Long, Schema> KNOWN = new HashMap<>();
  private static final String TEXT;
  private static final Schema CURRENT;
  private static final long FINGERPRINT;

  static {
    List<Schema> versions = new ArrayList<>();
    String text = "";
    for (int version = 1; version <= VERSION; version++) {
      text = read("gateway-record-" + version + ".avsc");
      Schema schema = AvroSchemas.parse(text);
      versions.add(schema);
      KNOWN.put(AvroSchemas.fingerprint(schema), schema);
    }
    TEXT = text;
    CURRENT = versions.get(VERSION - 1);
    FINGERPRINT = AvroSchemas.fingerprint(CURRENT);
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

  static Schema current() {
    return CURRENT;
  }

  static Optional<Schema> known(long fingerprint) {
    return Optional.ofNullable(KNOWN.get(fingerprint));
  }
}
