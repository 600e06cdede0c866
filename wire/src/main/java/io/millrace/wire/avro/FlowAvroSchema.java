package io.millrace.wire.avro;

import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import java.nio.charset.StandardCharsets;

/**
 * Avro schema (specification 1.11 and later) of rows: a record with a field for each column.
 * Optional columns are unions with null.
 *
 * @param columns in their order
 */
public record FlowAvroSchema(OutputColumns columns) {
  private static final String NAME = "io.millrace.Flow";

  /** Fingerprint of no bytes, also the polynomial, by the specification. */
  private static final long EMPTY = 0xC15D213AA4D7A795L;

  /** The schema as JSON, with descriptions of the fields. */
  public String json() {
    StringBuilder out = new StringBuilder("{\n  \"type\": \"record\",\n  \"name\": \"Flow\",\n");
    out.append("  \"namespace\": \"io.millrace\",\n  \"fields\": [");
    String separator = "\n";
    for (OutputColumn column : columns.list()) {
      String type =
          column.kind() == OutputColumn.Kind.TIME
              ? "{\"type\": \"long\", \"logicalType\": \"timestamp-micros\"}"
              : "\"" + type(column) + "\"";
      out.append(separator).append("    {\"name\": \"").append(column.name()).append("\", ");
      out.append("\"type\": ");
      out.append(column.isRequired() ? type : "[\"null\", " + type + "], \"default\": null");
      out.append(", \"doc\": \"").append(column.summary()).append("\"}");
      separator = ",\n";
    }
    return out.append("\n  ]\n}\n").toString();
  }

  String canonical() {
    StringBuilder out = new StringBuilder("{\"name\":\"" + NAME + "\",\"type\":\"record\",");
    out.append("\"fields\":[");
    String separator = "";
    for (OutputColumn column : columns.list()) {
      String type = "\"" + type(column) + "\"";
      out.append(separator).append("{\"name\":\"").append(column.name()).append("\",\"type\":");
      out.append(column.isRequired() ? type : "[\"null\"," + type + "]").append('}');
      separator = ",";
    }
    return out.append("]}").toString();
  }

  private static String type(OutputColumn column) {
    return switch (column.kind()) {
      case SMALL -> "int";
      case TIME, NUMBER, LONG -> "long";
      case MAC, ADDRESS, TEXT -> "string";
    };
  }

  /** CRC-64-AVRO of the canonical form, by which a message identifies its schema. */
  public long fingerprint() {
    return fingerprint(canonical());
  }

  static long fingerprint(String canonical) {
    long fingerprint = EMPTY;
    for (byte b : canonical.getBytes(StandardCharsets.UTF_8)) {
      long entry = (fingerprint ^ b) & 0xFF;
      for (int i = 0; i < 8; i++) {
        entry = entry >>> 1 ^ (EMPTY & -(entry & 1));
      }
      fingerprint = fingerprint >>> 8 ^ entry;
    }
    return fingerprint;
  }
}
