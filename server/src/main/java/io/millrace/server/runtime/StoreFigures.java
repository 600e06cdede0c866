package io.millrace.server.runtime;

import io.millrace.store.FlowTable;
import io.millrace.store.StoredRetention;

/** {@code newestMicros} is {@link Long#MIN_VALUE} before this process's first row. */
record StoreFigures(long rows, StoredRetention retention, long diskBytes, long newestMicros) {
  static StoreFigures of(OpenStore store) {
    FlowTable flows = store.flows();
    return new StoreFigures(
        flows.rows(), flows.retention(), store.store().diskBytes(), flows.newestMicros());
  }
}
