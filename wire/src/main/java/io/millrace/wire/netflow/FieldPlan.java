package io.millrace.wire.netflow;

import io.millrace.wire.block.FlowColumn;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * The fields of a template that a row wants, one step for each, in the order of {@link FlowField}:
 * what is worked out once when the template comes, so that a record costs only its loads and
 * stores.
 */
final class FieldPlan {
  private static final Set<FlowColumn> READERS_OWN =
      EnumSet.of(
          FlowColumn.TIME,
          FlowColumn.EXPORTER,
          FlowColumn.SAMPLING_RATE,
          FlowColumn.OUT_IF_FORMAT,
          FlowColumn.ETHER_TYPE);

  private static final FlowField[] ALL = FlowField.values();

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

  /** Step of a {@link FlowField}, by ordinal; -1 where the template does not have it. */
  private final int[] step = new int[FlowField.COUNT];

  /** Columns that every row must have and that no step fills. */
  final FlowColumn[] unfilled;

  FieldPlan(Template template, boolean reverse) {
    int[] best = new int[FlowField.COUNT];
    Arrays.fill(best, -1);
    Arrays.fill(step, -1);
    int steps = 0;
    for (int i = 0; i < template.fields(); i++) {
      FlowField f = InformationElements.field(template.enterprise[i], template.element[i], reverse);
      if (f == null || !f.fits(template.length[i])) {
        continue;
      }
      int before = best[f.ordinal()];
      if (before < 0) {
        steps++;
      }
      if (before < 0
          || InformationElements.rank(template.element[i])
              < InformationElements.rank(template.element[before])) {
        best[f.ordinal()] = i;
      }
    }
    fields = new FlowField[steps];
    index = new int[steps];
    offset = new int[steps];
    length = new int[steps];
    int n = 0;
    for (FlowField f : ALL) {
      int i = best[f.ordinal()];
      if (i >= 0) {
        step[f.ordinal()] = n;
        fields[n] = f;
        index[n] = i;
        offset[n] = template.offset(i);
        length[n++] = template.length[i];
      }
    }
    unfilled = unfilled();
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

  /** The step that reads a field, -1 if there is none. */
  int step(FlowField field) {
    return step[field.ordinal()];
  }

  boolean has(FlowField field) {
    return step[field.ordinal()] >= 0;
  }
}
