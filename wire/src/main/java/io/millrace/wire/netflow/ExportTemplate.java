package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowColumn;
import java.util.List;

/**
 * A template for writing rows: columns and their encoding in a record, for one address family.
 * Immutable and thread-safe.
 */
public final class ExportTemplate {
  private final int id;
  final FlowColumn[] columns;
  final int[] element;
  final int[] length;
  private final int recordLength;

  private ExportTemplate(int id, FlowColumn[] columns, int[] element, int[] length) {
    this.id = id;
    this.columns = columns;
    this.element = element;
    this.length = length;
    int bytes = 0;
    for (int fieldLength : length) {
      bytes += fieldLength;
    }
    recordLength = bytes;
  }

  /**
   * A template of version 9 or IPFIX. Throws {@code IllegalArgumentException} for an id below 256,
   * no columns, or a column without an element: arrival, exporter, observation domain, the format
   * of the interface, and the source of the sampling rate.
   *
   * @param version 9 or 10; version 9 has times as milliseconds of uptime, IPFIX as milliseconds
   *     since the epoch
   * @param id of the template, from 256
   * @param isIpv6 whether addresses are of version 6
   * @param columns columns of a record
   */
  public static ExportTemplate of(int version, int id, boolean isIpv6, List<FlowColumn> columns) {
    if (id < NetflowLayout.MIN_TEMPLATE_ID || id > 0xFFFF || columns.isEmpty()) {
      throw new IllegalArgumentException(
          "netflow: template "
              + id
              + " of "
              + columns.size()
              + " columns; expected an id from 256 to 65535 and at least one column");
    }
    int n = columns.size();
    int[] element = new int[n];
    int[] length = new int[n];
    for (int i = 0; i < n; i++) {
      FlowColumn column = columns.get(i);
      element[i] = element(column, isIpv6, version);
      length[i] = length(column, isIpv6, version);
    }
    return new ExportTemplate(id, columns.toArray(new FlowColumn[0]), element, length);
  }

  static ExportTemplate version5() {
    int n = NetflowLayout.V5_RECORD.length;
    FlowColumn[] columns = new FlowColumn[n];
    int[] element = new int[n];
    int[] length = new int[n];
    for (int i = 0; i < n; i++) {
      element[i] = NetflowLayout.V5_RECORD[i][0];
      length[i] = NetflowLayout.V5_RECORD[i][1];
      InformationElements.Element known = InformationElements.find(0, element[i], false);
      columns[i] = known == null ? null : known.field().column;
    }
    return new ExportTemplate(0, columns, element, length);
  }

  private static int element(FlowColumn column, boolean isIpv6, int version) {
    boolean isV9 = version == NetflowLayout.VERSION_9;
    return switch (column) {
      case BYTES -> 1;
      case PACKETS -> 2;
      case PROTO -> 4;
      case TOS -> 5;
      case TCP_FLAGS -> 6;
      case SRC_PORT -> 7;
      case DST_PORT -> 11;
      case SRC_ADDR -> isIpv6 ? 27 : 8;
      case DST_ADDR -> isIpv6 ? 28 : 12;
      case NEXT_HOP -> isIpv6 ? 62 : 15;
      case SRC_VLAN -> 58;
      case DST_VLAN -> 59;
      case IN_IF -> 10;
      case OUT_IF -> 14;
      case EXPORTER_SRC_AS -> 16;
      case EXPORTER_DST_AS -> 17;
      case SRC_MASK -> isIpv6 ? 29 : 9;
      case DST_MASK -> isIpv6 ? 30 : 13;
      case SRC_MAC -> 56;
      case DST_MAC -> 80;
      case DIRECTION -> 61;
      case MPLS_LABEL -> 70;
      case FORWARDING_STATUS -> 89;
      case IN_VRF -> InformationElements.INGRESS_VRF;
      case OUT_VRF -> InformationElements.EGRESS_VRF;
      case APP_ID -> InformationElements.APPLICATION_ID;
      case SAMPLER -> isV9 ? InformationElements.SAMPLER_ID : InformationElements.SELECTOR_ID;
      case NAT_SRC_ADDR -> isIpv6 ? 281 : 225;
      case NAT_DST_ADDR -> isIpv6 ? 282 : 226;
      case NAT_SRC_PORT -> 227;
      case NAT_DST_PORT -> 228;
      case ETHER_TYPE -> 256;
      case SAMPLING_RATE -> 34;
      case FLOW_START -> isV9 ? 22 : 152;
      case FLOW_END -> isV9 ? 21 : 153;
      default ->
          throw new IllegalArgumentException(
              "netflow: no information element for column " + column.columnName());
    };
  }

  private static int length(FlowColumn column, boolean isIpv6, int version) {
    if (column == FlowColumn.MPLS_LABEL) {
      return 3;
    }
    return switch (column.type()) {
      case U8 -> 1;
      case U16 -> 2;
      case U32 -> 4;
      case MAC -> 6;
      case MOMENT -> version == NetflowLayout.VERSION_9 ? 4 : 8;
      case ADDRESS -> isIpv6 ? 16 : 4;
      default -> 8;
    };
  }

  /** The template's id. */
  public int id() {
    return id;
  }

  /** Length of a record in bytes. */
  public int recordLength() {
    return recordLength;
  }

  int fields() {
    return length.length;
  }
}
