package io.millrace.store.duckdb.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AkvoradoColumnsTest {
  @TempDir Path directory;

  private static List<String> rows(Store store, String sql) {
    return AnswerRows.of(store, sql);
  }

  @Test
  void queriesWithTheseNamesEqualThoseOfFlows() {
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults())) {
      try (FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer()) {
        writer.append(Flows.joined(40, 0, 1));
        writer.flush();
      }
      assertThat(
              rows(
                  store,
                  "SELECT SrcAS, SUM(Bytes * SamplingRate), SUM(Packets * SamplingRate) FROM"
                      + " akvorado_flows WHERE Proto = 6 AND TimeReceived > '2023-01-01' GROUP BY"
                      + " SrcAS ORDER BY SrcAS"))
          .isEqualTo(
              rows(
                  store,
                  "SELECT src_as, sum(bytes * sampling_rate), sum(packets * sampling_rate) FROM"
                      + " flows GROUP BY src_as ORDER BY src_as"))
          .hasSize(4);
      assertThat(
              rows(
                  store,
                  "SELECT ExporterAddress, SrcAddr, DstAddr, DstPort, EType, TCPFlags FROM"
                      + " akvorado_flows WHERE SrcAddr = '192.0.2.1'"))
          .containsExactly("10.0.0.1|192.0.2.1|198.51.100.1|40001|null|null");
      assertThat(rows(store, "SELECT SrcAddr, count(*) FROM akvorado_flows GROUP BY 1"))
          .hasSize(40);
    }
  }

  @Test
  void withoutADataSetTheExportersValueIsUsed() {
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults())) {
      var unused = store.table(Store.FLOWS, new FlowSchema(List.of()));
      assertThat(rows(store, "SELECT SrcAS, DstAS FROM akvorado_flows")).isEmpty();
    }
  }
}
