package io.millrace.server.runtime;

import io.millrace.server.api.Exchange;
import io.millrace.server.api.HttpServer;
import io.millrace.server.api.LedgerEndpoint;
import io.millrace.server.api.ReplayEndpoint;
import io.millrace.server.api.SqlEndpoint;
import io.millrace.server.api.TopEndpoint;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import java.io.IOException;

/** Which question is answered by what. */
record ApiRoutes(Millrace millrace, Store store, StoreConfig limits) {
  void addTo(HttpServer http) {
    http.route("POST", "/api/v1/sql", new SqlEndpoint(store, limits))
        .route("GET", "/api/v1/top", new TopEndpoint(store))
        .route("GET", "/api/v1/status", this::status)
        .route("POST", "/api/v1/replay", new ReplayEndpoint(millrace)::start)
        .route("GET", "/api/v1/replay", new ReplayEndpoint(millrace)::show)
        .route("GET", "/api/v1/ledger", new LedgerEndpoint(millrace::ledger, millrace::facts));
  }

  private void status(Exchange exchange) throws IOException {
    boolean cluster = exchange.parameter("with").filter("cluster"::equals).isPresent();
    exchange.answer(cluster ? millrace.statusWithCluster() : millrace.status());
  }
}
