package io.millrace.lab.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.wire.block.ExportProtocol;
import org.junit.jupiter.api.Test;

class ReconciliationTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** 100 sent: 90 stored with 7 rows each, 10 lost in different ways. */
  private static final String SFLOW =
      """
      {"exporter": "127.0.1.11", "protocol": "sflow", "sent": 100, "duplicates": 0, "stored": 90,
       "rows": 630, "lost_before": 1, "lost_while_down": 2, "dropped_by_kernel": 3,
       "dropped_by_us": 2, "expired": 2, "malformed": 0, "in_flight": 0, "lost_records": 0}""";

  private static final Exporters.Truth SENT =
      new Exporters.Truth(ExportProtocol.SFLOW, "127.0.1.11", 7, 100, 0);

  private static Reconciliation of(String exporter, long rows) throws JsonProcessingException {
    return new Reconciliation(
        JSON.readTree("{\"adds_up\": true, \"exporters\": [" + exporter + "]}"),
        JSON.readTree("[[\"127.0.1.11\", " + rows + "]]"));
  }

  @Test
  void everythingSentIsStoredOrCountedAsLost() throws Exception {
    Reconciliation sums = of(SFLOW, 630);
    sums.exporter(SENT);
    assertThat(sums.differences()).isEmpty();
    assertThat(sums.total("stored")).isEqualTo(90);
  }

  @Test
  void reportsAnUnaccountedDatagram() throws Exception {
    Reconciliation sums = of(SFLOW, 630);
    sums.exporter(new Exporters.Truth(ExportProtocol.SFLOW, "127.0.1.11", 7, 101, 0));
    assertThat(sums.differences())
        .containsExactly(
            "sflow 127.0.1.11, sent: expected 101, found 100",
            "sflow 127.0.1.11, sum of the parts: expected 101, found 100");
  }

  @Test
  void reportsOneRowTooMany() throws Exception {
    Reconciliation sums = of(SFLOW, 631);
    sums.exporter(SENT);
    assertThat(sums.differences())
        .containsExactly("sflow 127.0.1.11, rows in the table: expected 630, found 631");
  }

  @Test
  void reportsADatagramStoredWithoutItsRows() throws Exception {
    Reconciliation sums = of(SFLOW.replace("630", "623"), 623);
    sums.exporter(SENT);
    assertThat(sums.differences()).hasSize(1).first().asString().contains("have no row");
  }

  @Test
  void countsRecordsOfVersion5BySequenceNumber() throws Exception {
    String version5 =
        SFLOW.replace("sflow", "netflow5").replace("\"lost_records\": 0", "\"lost_records\": 84");
    Reconciliation sums = of(version5.replace("630", "1260"), 1_260);
    // 100 datagrams of 14: 90 stored, 4 dropped by us or expired, 84 records missing
    sums.exporter(new Exporters.Truth(ExportProtocol.NETFLOW5, "127.0.1.11", 14, 100, 0));
    assertThat(sums.differences()).isEmpty();
  }

  @Test
  void fewerMalformedDatagramsMayBeCounted() throws Exception {
    Reconciliation sums = of(SFLOW, 630);
    assertThat(sums.broken("127.0.1.11", 100)).isEqualTo(6);
    assertThat(sums.differences()).isEmpty();
    sums.broken("127.0.1.11", 93);
    assertThat(sums.differences()).hasSize(1);
  }
}
