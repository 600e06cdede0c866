package io.millrace.wire.netflow;

import java.util.Arrays;

/**
 * A template as it came, and the plans made from it: which bytes of a record are what. Immutable.
 */
final class Template {
  /** Fields that a template of weight 1 has at most: more than most exporters' templates have. */
  static final int WEIGHT_FIELDS = 64;

  final int id;

  /** Number of leading fields that are the scope of options; 0 for templates of data. */
  final int scopes;

  final boolean isOptions;
  final int[] enterprise;
  final int[] element;
  final int[] length;

  /** Bytes of a record, at least: fields of variable length count one. */
  final int minLength;

  final boolean isVariable;

  final FieldPlan plan;

  /** What the record says of the other direction; null if nothing. */
  final FieldPlan reverse;

  /** Whether a row can be made: there is an address, or a packet that has some. */
  final boolean isFlow;

  /** Whether records hold pieces of packets. */
  final boolean hasSection;

  /** What options of this template name; null if nothing. */
  final NameFields names;

  /** Whether the options are of one interface only. */
  final boolean isInterfaceScope;

  Template(int id, boolean isOptions, int scopes, int[] enterprise, int[] element, int[] length) {
    this.id = id;
    this.isOptions = isOptions;
    this.scopes = scopes;
    this.enterprise = enterprise;
    this.element = element;
    this.length = length;
    int bytes = 0;
    boolean variable = false;
    boolean interfaceScope = false;
    for (int i = 0; i < length.length; i++) {
      boolean isVar = length[i] == NetflowLayout.VARIABLE_LENGTH;
      variable |= isVar;
      bytes += isVar ? 1 : length[i];
      interfaceScope |=
          i < scopes
              && (enterprise[i] == NetflowLayout.V9_SCOPE
                  ? element[i] == NetflowLayout.V9_SCOPE_INTERFACE
                  : enterprise[i] == 0
                      && (element[i] == InformationElements.INGRESS_INTERFACE
                          || element[i] == InformationElements.EGRESS_INTERFACE));
    }
    minLength = bytes;
    isVariable = variable;
    isInterfaceScope = interfaceScope;
    names = NameFields.of(this);
    plan = new FieldPlan(this, false);
    FieldPlan other = new FieldPlan(this, true);
    reverse = other.has(FlowField.BYTES) || other.has(FlowField.PACKETS) ? other : null;
    hasSection = plan.has(FlowField.ETHERNET_SECTION) || plan.has(FlowField.IP_SECTION);
    isFlow =
        hasSection
            || plan.has(FlowField.SRC_IPV4)
            || plan.has(FlowField.SRC_IPV6)
            || plan.has(FlowField.DST_IPV4)
            || plan.has(FlowField.DST_IPV6);
  }

  /** The template that records of version 5 follow. */
  static Template version5() {
    int n = NetflowLayout.V5_RECORD.length;
    int[] element = new int[n];
    int[] length = new int[n];
    for (int i = 0; i < n; i++) {
      element[i] = NetflowLayout.V5_RECORD[i][0];
      length[i] = NetflowLayout.V5_RECORD[i][1];
    }
    return new Template(0, false, 0, new int[n], element, length);
  }

  int fields() {
    return length.length;
  }

  /**
   * What it counts against the bounds of templates: one for each begun {@value #WEIGHT_FIELDS}
   * fields.
   */
  int weight() {
    return Math.max(1, (length.length + WEIGHT_FIELDS - 1) / WEIGHT_FIELDS);
  }

  /** Where a field begins, if no field before it has a variable length. */
  int offset(int field) {
    int offset = 0;
    for (int i = 0; i < field; i++) {
      offset += length[i];
    }
    return offset;
  }

  /** Whether the other template describes the same bytes in the same way. */
  boolean sameLayout(Template other) {
    return isOptions == other.isOptions
        && scopes == other.scopes
        && Arrays.equals(length, other.length)
        && Arrays.equals(element, other.element)
        && Arrays.equals(enterprise, other.enterprise);
  }
}
