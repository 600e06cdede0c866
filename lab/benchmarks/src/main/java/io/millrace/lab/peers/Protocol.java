package io.millrace.lab.peers;

import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.PreparedRecords;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.RecordTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.AddressPool;
import io.millrace.traffic.model.TrafficConfig;

/** Protocol of the load, and the peers' programs that support it. */
public enum Protocol {
  SFLOW("sflow", 0, "sfcapd", "sfacctd"),
  NETFLOW9("netflow9", 9, "nfcapd", "nfacctd"),
  IPFIX("ipfix", 10, "nfcapd", "nfacctd");

  private static final int EXPORTERS = 4;
  private static final int PREPARED = 50_000;

  private final String label;
  private final int version;
  private final String nfdump;
  private final String pmacct;

  Protocol(String label, int version, String nfdump, String pmacct) {
    this.label = label;
    this.version = version;
    this.nfdump = nfdump;
    this.pmacct = pmacct;
  }

  String label() {
    return label;
  }

  /** The collector of nfdump. */
  String nfdump() {
    return nfdump;
  }

  /** The collector of pmacct. */
  String pmacct() {
    return pmacct;
  }

  /** The same traffic in each protocol, from its start. */
  DatagramSource traffic(AddressPool pool) {
    TrafficConfig config = TrafficConfig.steady(EXPORTERS);
    TrafficGenerator packets = new TrafficGenerator(config, pool);
    return this == SFLOW
        ? new PreparedTraffic(packets, PREPARED)
        : new PreparedRecords(
            new RecordTraffic(packets, version, config.exporters().samplingRate()), PREPARED);
  }
}
