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
 * The fields of a template that a row wants, one step for each, in the order of {@link FlowField}
 * and, where several elements give one field, of rising precedence: what is worked out once when
 * the template comes, so that a record costs only its loads and stores.
 */
final class FieldPlan {
  private static final Set<FlowColumn> READERS_OWN =
      EnumSet.of(
          FlowColumn.TIME,
          FlowColumn.EXPORTER,
          FlowColumn.SAMPLING_RATE,
          FlowColumn.OUT_IF_FORMAT,
          FlowColumn.ETHER_TYPE);

  /** Columns that every row must have, but for those that are the reader's own work. */
  private static final FlowColumn[] OWED =
      FlowColumn.ALL.stream()
          .filter(column -> !column.optional() && !READERS_OWN.contains(column))
          .toArray(FlowColumn[]::new);

  /** What is read, step by step. */
  final FlowField[] fields;

  /** The step's field in the template. */
  final int[] index;

  /** Where the step's bytes begin in a record; means something in templates of fixed length. */
  final int[] offset;

  /** How many bytes they are. */
  final int[] length;

  /** Whether a step leaves what an earlier one gave where its own value is not usable. */
  final boolean[] isOverlay;

  /** {@link RecordRules#hasPorts}. */
  final boolean hasPorts;

  /** {@link RecordRules#hasIcmpInPort}. */
  final boolean hasIcmpInPort;

  /** {@link Sampling#isTold}. */
  final boolean tellsRate;

  /** Step of a {@link FlowField}, by ordinal; -1 where the template does not have it. */
  private final int[] step = new int[FlowField.COUNT];

  /** Columns that every row must have and that no step fills. */
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
    tellsRate = Sampling.isTold(this);
  }

  /** A field of the template, and the element that it is. */
  private record Candidate(int index, Element element) {}

  /**
   * What the template has, in the order of {@link FlowField} and within one by rising precedence.
   * An element that comes twice counts once, and fields that fill no column have one element.
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
    return Arrays.stream(OWED)
        .filter(column -> !filled[column.ordinal()])
        .toArray(FlowColumn[]::new);
  }

  /** The step that reads a field with precedence, -1 if there is none. */
  int step(FlowField field) {
    return step[field.ordinal()];
  }

  boolean has(FlowField field) {
    return step[field.ordinal()] >= 0;
  }

  /** Whether a field of it is an address of a flow. */
  boolean hasAddress() {
    return hasEnds() || has(FlowField.STATION_IPV4);
  }

  /** Whether the only address is that of a wireless station. */
  boolean hasOnlyStation() {
    return has(FlowField.STATION_IPV4) && !hasEnds();
  }

  private boolean hasEnds() {
    return has(FlowField.SRC_IPV4)
        || has(FlowField.SRC_IPV6)
        || has(FlowField.DST_IPV4)
        || has(FlowField.DST_IPV6);
  }

  /** Whether a field of it is an address after translation. */
  boolean hasTranslation() {
    return has(FlowField.NAT_SRC_IPV4)
        || has(FlowField.NAT_SRC_IPV6)
        || has(FlowField.NAT_DST_IPV4)
        || has(FlowField.NAT_DST_IPV6);
  }

  /**
   * Whether it tells what an inside address is translated to and no flow of it: a block of ports,
   * or an address of a VRF without any destination, as carrier-grade NAT that names no event does.
   */
  boolean isBinding() {
    boolean hasDestination = has(FlowField.DST_IPV4) || has(FlowField.DST_IPV6);
    return hasTranslation()
        && (has(FlowField.PORT_RANGE_START) || (has(FlowField.IN_VRF) && !hasDestination));
  }

  /** Whether a field of it is of a frame. */
  boolean hasFrame() {
    return has(FlowField.SRC_MAC) || has(FlowField.DST_MAC) || has(FlowField.ETHER_TYPE);
  }
}
