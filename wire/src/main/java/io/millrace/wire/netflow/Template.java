package io.millrace.wire.netflow;

import java.util.Arrays;

/**
 * A template as it came, and what is made of it when its first record comes: which bytes of a
 * record are what. Who sends templates alone has none of that work done for them. Immutable to
 * whoever looks, so safe for use by many threads.
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

  private Plans plans; // threads that make them at once make the same ones

  /**
   * What a reader of records wants to know.
   *
   * @param reverse what the record says of the other direction; null if nothing
   * @param hasSection whether records hold pieces of packets
   * @param isFlow whether a row can be made: there is an address, or a packet that has some
   * @param isFrame whether one of a frame can be made
   * @param names what options of this template name; null if nothing
   * @param scope of the rates that options of this template tell
   * @param isOneByOne whether records must be read one by one, not field by field
   * @param isEvent whether records may tell of a translation of addresses, with or without traffic
   * @param subscriber field of who it is; -1 if no field is
   */
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
