package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.InformationElements.Element;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The fields of a template that a row uses, one step each, in the order of {@link FlowField} and,
 * if several elements fill one field, by increasing precedence. Built once per template, so that a
 * record costs only its loads and stores.
 */
final class FieldPlan {
  private static final Set<FlowColumn> READERS_OWN =
      EnumSet.of(
          FlowColumn.TIME,
          FlowColumn.EXPORTER,
          FlowColumn.SAMPLING_RATE,
          FlowColumn.OUT_IF_FORMAT,
          FlowColumn.ETHER_TYPE);

  private static final FlowColumn[] REQUIRED =
      FlowColumn.ALL.stream()
          .filter(column -> !column.optional() && !READERS_OWN.contains(column))
          .toArray(FlowColumn[]::new);

  final FlowField[] fields;

  final int[] index;

  /** Offset of the step's bytes in a record; valid for templates of fixed length. */
  final int[] offset;

  final int[] length;

  /** Whether an unusable value keeps the result of an earlier step. */
  final boolean[] isOverlay;

  final boolean hasPorts;

  final boolean hasIcmpInPort;

  final boolean hasRate;

  /** Step of a {@link FlowField}, by ordinal; -1 if the template lacks it. */
  private final int[] step = new int[FlowField.COUNT];

  final FlowColumn[] unfilled;

  FieldPlan(Template template, boolean reverse) {
    List<Candidate> candidates = candidates(template, reverse);
    int steps = candidates.size();
    Arrays.fill(step, -1);
    fields = new FlowField[steps];
    index = new int[steps];
    offset = new int[steps];
    length = new int[steps];
    isOverlay = new boolean[steps];
    Set<FlowColumn> filled = EnumSet.noneOf(FlowColumn.class);
    for (int n = 0; n < steps; n++) {
      FlowField f = candidates.get(n).element.field();
      int i = candidates.get(n).index;
      step[f.ordinal()] = n; // the last one takes precedence
      fields[n] = f;
      index[n] = i;
      offset[n] = template.offset(i);
      length[n] = template.length[i];
      isOverlay[n] = f.column != null && !filled.add(f.column);
      if (f.isSeen()) {
        filled.add(FlowColumn.FLOW_END);
      }
    }
    unfilled = unfilled();
    hasPorts = RecordRules.hasPorts(this);
    hasIcmpInPort = RecordRules.hasIcmpInPort(this);
    hasRate = Sampling.hasRate(this);
  }

  private record Candidate(int index, Element element) {}

  /**
   * Candidates by {@link FlowField} and increasing precedence; repeated elements are included once.
   */
  private static List<Candidate> candidates(Template template, boolean reverse) {
    List<Candidate> all = new ArrayList<>();
    Set<Element> seen = new HashSet<>();
    for (int i = 0; i < template.fields(); i++) {
      Element e = InformationElements.find(template.enterprise[i], template.element[i], reverse);
      if (e != null
          && e.field().fits(template.length[i])
          && (reverse || !InformationElements.isExcluded(template, e))
          && seen.add(e)) {
        all.add(new Candidate(i, e));
      }
    }
    all.sort(
        Comparator.comparing((Candidate c) -> c.element.field())
            .thenComparing(c -> -c.element.rank()));
    List<Candidate> kept = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      FlowField f = all.get(i).element.field();
      boolean isLast = i + 1 == all.size() || all.get(i + 1).element.field() != f;
      if (f.column != null || isLast) {
        kept.add(all.get(i));
      }
    }
    return kept;
  }

  private FlowColumn[] unfilled() {
    boolean[] filled = new boolean[FlowColumn.ALL.size()];
    for (FlowField f : fields) {
      if (f.column != null) {
        filled[f.column.ordinal()] = true;
      }
    }
    return Arrays.stream(REQUIRED)
        .filter(column -> !filled[column.ordinal()])
        .toArray(FlowColumn[]::new);
  }

  /** Step of the element that takes precedence, -1 if there is none. */
  int step(FlowField field) {
    return step[field.ordinal()];
  }

  boolean has(FlowField field) {
    return step[field.ordinal()] >= 0;
  }

  boolean hasAddress() {
    return hasEnds() || has(FlowField.STATION_IPV4);
  }

  boolean hasOnlyStation() {
    return has(FlowField.STATION_IPV4) && !hasEnds();
  }

  private boolean hasEnds() {
    return has(FlowField.SRC_IPV4)
        || has(FlowField.SRC_IPV6)
        || has(FlowField.DST_IPV4)
        || has(FlowField.DST_IPV6);
  }

  boolean hasTranslation() {
    return has(FlowField.NAT_SRC_IPV4)
        || has(FlowField.NAT_SRC_IPV6)
        || has(FlowField.NAT_DST_IPV4)
        || has(FlowField.NAT_DST_IPV6);
  }

  /**
   * Whether the record is a translation of an inside address without a flow: a port block, or an
   * address in a VRF without destination, as from carrier-grade NAT without event codes.
   */
  boolean isBinding() {
    boolean hasDestination = has(FlowField.DST_IPV4) || has(FlowField.DST_IPV6);
    return hasTranslation()
        && (has(FlowField.PORT_RANGE_START) || (has(FlowField.IN_VRF) && !hasDestination));
  }

  boolean hasFrame() {
    return has(FlowField.SRC_MAC) || has(FlowField.DST_MAC) || has(FlowField.ETHER_TYPE);
  }
}
