package io.millrace.server.ingest;

import io.millrace.wire.gateway.GatewayForm;
import io.millrace.wire.record.RecordEncoding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Common properties of a value's records; one object for each.
 *
 * @param number 0 to {@link #COUNT} − 1
 * @param byPath form of records without one
 * @param isBackfill whether they are history
 */
record RecordKind(
    int number, RecordEncoding encoding, Optional<GatewayForm> byPath, boolean isBackfill) {
  private static final int FORMS = GatewayForm.ALL.size() + 1;

  static final int COUNT = 2 * RecordEncoding.values().length * FORMS;

  private static final List<RecordKind> ALL = all();

  private static List<RecordKind> all() {
    List<RecordKind> all = new ArrayList<>();
    for (boolean isBackfill : new boolean[] {false, true}) {
      for (RecordEncoding encoding : RecordEncoding.values()) {
        all.add(new RecordKind(all.size(), encoding, Optional.empty(), isBackfill));
        for (GatewayForm form : GatewayForm.ALL) {
          all.add(new RecordKind(all.size(), encoding, Optional.of(form), isBackfill));
        }
      }
    }
    return List.copyOf(all);
  }

  static RecordKind of(RecordEncoding encoding, Optional<GatewayForm> byPath) {
    return of(encoding, byPath, false);
  }

  static RecordKind of(RecordEncoding encoding, Optional<GatewayForm> byPath, boolean isBackfill) {
    int kind = encoding.ordinal() * FORMS + byPath.map(GatewayForm::code).orElse(0);
    return ALL.get(isBackfill ? COUNT / 2 + kind : kind);
  }
}
