package org.example.subscriber;

import io.millrace.analytics.testing.TwoInputTester;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import org.junit.jupiter.api.Test;

class SubscriberJoinTest {
  private static void login(TableBlock logins, long time, String address, long subscriber) {
    logins.reserve(1);
    int row = logins.rows();
    logins.longs(0)[row] = time;
    logins.texts(1).add(address);
    logins.longs(2)[row] = subscriber;
    logins.rows(row + 1);
  }

  private static void flow(FlowBlock flows, long time, String source, long bytes) {
    int row = flows.rows();
    long[] address = new long[2];
    Addresses.parse(source, address);
    flows.longs(FlowColumn.TIME)[row] = time;
    flows.addressHigh(FlowColumn.SRC_ADDR)[row] = address[0];
    flows.addressLow(FlowColumn.SRC_ADDR)[row] = address[1];
    flows.longs(FlowColumn.BYTES)[row] = bytes;
    flows.ints(FlowColumn.SAMPLING_RATE)[row] = 2;
    flows.rows(row + 1);
  }

  @Test
  void aFlowIsOfTheSubscriberWhoHadTheAddressAtItsTime() {
    TableBlock logins = new TableBlock(SubscriberTraffic.LOGINS.columns(), 8);
    login(logins, 10, "192.0.2.1", 7);
    login(logins, 30, "192.0.2.1", 8);
    login(logins, 50, "192.0.2.1", 0);
    FlowBlock flows = new FlowBlock(8);
    flow(flows, 9, "192.0.2.1", 1); // before the login
    flow(flows, 10, "192.0.2.1", 2);
    flow(flows, 31, "192.0.2.1", 3);
    flow(flows, 40, "192.0.2.2", 4); // of nobody
    flow(flows, 51, "192.0.2.1", 5); // after the logout

    TwoInputTester.of(SubscriberJoin::new)
        .keyedBy(SubscriberJoin.BY_LOGIN, SubscriberJoin.BY_SOURCE)
        .feedFirst(logins)
        .feedSecond(flows)
        .watermark(60)
        .inAnyOrder()
        .expect("10 7 4", "31 8 6");
  }
}
