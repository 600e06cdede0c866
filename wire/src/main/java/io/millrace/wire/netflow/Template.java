package io.millrace.wire.netflow;

import java.util.Arrays;

/** A template, with plans that are made at its first record. Thread-safe. */
final class Template {
  static final int WEIGHT_FIELDS = 64;

  final int id;

  final int scopes;

  final boolean isOptions;
  final int[] enterprise;
  final int[] element;
  final int[] length;

  /** Minimum length of a record in bytes: variable-length fields count as one. */
  final int minLength;

  final boolean isVariable;

  private Plans plans; // no race: concurrent threads compute equal plans

  /** {@code reverse} and {@code names} are null, {@code subscriber} is -1 if absent. */
  record Plans(
      FieldPlan fields,
      FieldPlan reverse,
      boolean hasSection,
      boolean isFlow,
      boolean isFrame,
      NameFields names,
      RateScope.Place scope,
      boolean isOneByOne,
      boolean isEvent,
      int subscriber) {
    static Plans of(Template template) {
      FieldPlan fields = new FieldPlan(template, false);
      FieldPlan other = new FieldPlan(template, true);
      boolean hasSection =
          fields.has(FlowField.ETHERNET_SECTION) || fields.has(FlowField.IP_SECTION);
      FieldPlan reverse = other.has(FlowField.BYTES) || other.has(FlowField.PACKETS) ? other : null;
      boolean hasCounts =
          reverse != null || fields.has(FlowField.BYTES) || fields.has(FlowField.PACKETS);
      boolean isEvent =
          !template.isOptions
              && (fields.has(FlowField.NAT_EVENT)
                  || fields.has(FlowField.FIREWALL_EVENT)
                  || (!hasCounts && !hasSection && fields.isBinding()));
      return new Plans(
          fields,
          reverse,
          hasSection,
          hasSection || fields.hasAddress(),
          fields.hasFrame(),
          NameFields.of(template),
          RateScope.Place.of(template),
          template.isVariable
              || template.isOptions
              || hasSection
              || isEvent
              || reverse != null
              || fields.hasOnlyStation()
              || fields.has(FlowField.SYSTEM_INIT),
          isEvent,
          isEvent ? InformationElements.subscriber(template) : -1);
    }
  }

  Template(int id, boolean isOptions, int scopes, int[] enterprise, int[] element, int[] length) {
    this.id = id;
    this.isOptions = isOptions;
    this.scopes = scopes;
    this.enterprise = enterprise;
    this.element = element;
    this.length = length;
    int bytes = 0;
    boolean variable = false;
    for (int i = 0; i < length.length; i++) {
      boolean isVar = length[i] == NetflowLayout.VARIABLE_LENGTH;
      variable |= isVar;
      bytes += isVar ? 1 : length[i];
    }
    minLength = bytes;
    isVariable = variable;
  }

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

  Plans plans() {
    Plans made = plans;
    if (made == null) {
      made = Plans.of(this);
      plans = made;
    }
    return made;
  }

  int fields() {
    return length.length;
  }

  /** Number of templates it counts as: one per {@value #WEIGHT_FIELDS} fields, rounded up. */
  int weight() {
    return Math.max(1, (length.length + WEIGHT_FIELDS - 1) / WEIGHT_FIELDS);
  }

  /** Offset of a field, if no field before it has a variable length. */
  int offset(int field) {
    int offset = 0;
    for (int i = 0; i < field; i++) {
      offset += length[i];
    }
    return offset;
  }

  boolean sameLayout(Template other) {
    return isOptions == other.isOptions
        && scopes == other.scopes
        && Arrays.equals(length, other.length)
        && Arrays.equals(element, other.element)
        && Arrays.equals(enterprise, other.enterprise);
  }
}
