package io.millrace.wire.goflow2;

import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Schema file (proto3) of messages, with GoFlow2's names and numbers where they exist.
 *
 * @param columns of the messages
 */
public record FlowMessageSchema(OutputColumns columns) {
  /** The schema as text. */
  public String proto() {
    StringBuilder out =
        new StringBuilder(
            """
            // Flows as Millrace writes them. Fields below 2000 are those of GoFlow2's flowpb.FlowMessage,
            // under its numbers; those above are Millrace's own. Addresses are 4 or 16 bytes in network
            // order, times nanoseconds since 1970. A field that is 0 or empty is not on the wire.
            syntax = "proto3";

            package flowpb;

            message FlowMessage {
            """);
    List<FlowMessageFields.Field> fields = new ArrayList<>(FlowMessageFields.of(columns));
    if (columns.indexOf("src_port") >= 0) {
      fields.add(icmp(FlowMessageLayout.ICMP_TYPE, "icmp_type", "src_port"));
    }
    if (columns.indexOf("dst_port") >= 0) {
      fields.add(icmp(FlowMessageLayout.ICMP_CODE, "icmp_code", "dst_port"));
    }
    fields.sort(Comparator.comparingInt(FlowMessageFields.Field::number));
    for (FlowMessageFields.Field field : fields) {
      out.append("  ").append(type(field)).append(' ').append(field.name());
      out.append(" = ").append(field.number()).append(";\n");
    }
    return out.append("}\n").toString();
  }

  private FlowMessageFields.Field icmp(int number, String name, String column) {
    return new FlowMessageFields.Field(number, name, columns.indexOf(column), -1, 1);
  }

  private String type(FlowMessageFields.Field field) {
    if (field.number() == FlowMessageLayout.MPLS_LABEL) {
      return "repeated uint32";
    }
    OutputColumn.Kind kind = columns.list().get(field.column()).kind();
    return switch (kind) {
      case ADDRESS -> "bytes";
      case TEXT -> "string";
      case SMALL -> "uint32";
      case NUMBER -> field.number() == FlowMessageLayout.SAMPLING_RATE ? "uint64" : "uint32";
      case TIME, LONG, MAC -> "uint64";
    };
  }
}
