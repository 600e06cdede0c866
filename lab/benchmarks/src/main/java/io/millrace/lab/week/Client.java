package io.millrace.lab.week;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Client that queries the top of the last six hours from rollups, and an hour of rows. */
final class Client {
  private static final FlowQuery TOP =
      FlowQuery.top(
          List.of("as"),
          Measure.BITS,
          Optional.empty(),
          Optional.empty(),
          Optional.of(Duration.ofHours(6)),
          10,
          Store.FLOWS);
  private static final QueryRequest ROWS =
      new QueryRequest(
          "SELECT count(*), sum(bytes) FROM flows WHERE dst_port = 443 AND time >= (SELECT max(time) FROM flows) - INTERVAL 1 HOUR",
          Duration.ofSeconds(30),
          1);

  private final Store store;
  private final Day.Samples waits;

  /**
   * @param waits receives the latency of each query in milliseconds
   */
  Client(Store store, Day.Samples waits) {
    this.store = store;
    this.waits = waits;
  }

  void ask() {
    timed(() -> store.top(TOP));
    timed(
        () -> {
          try (QueryResult result = store.query(ROWS)) {
            result.next();
          }
        });
  }

  private void timed(Runnable question) {
    long start = System.nanoTime();
    question.run();
    waits.add((System.nanoTime() - start) / 1e6);
  }
}
