package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.packet.CaptureFile;
import io.millrace.wire.packet.SharedCaptures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What agents of several vendors send, as users have reported it. */
class SflowWildCapturesTest {
  private final FlowBlock flows = new FlowBlock(4);
  private final List<String> rejects = new ArrayList<>();

  private void decode(String name) throws IOException {
    for (CaptureFile.Frame frame : CaptureFile.read(SharedCaptures.file("wild", name))) {
      byte[] payload = frame.udpPayload();
      new SflowDecoder()
          .decode(
              payload,
              0,
              payload.length,
              frame.number(),
              0,
              Addresses.v4Low(frame.ipv4Source()),
              flows,
              null,
              (reason, offset) -> rejects.add(reason.label()));
    }
  }

  /** A column of all rows, unknown values as a dash. */
  private List<String> column(FlowColumn column) {
    return SflowRows.column(flows, column);
  }

  @Test
  void huaweisPackedEthernetRecordCostsThatRecordOnly() throws IOException {
    decode("04-sflow-huawei-packed-ethernet-record.pcap");
    assertThat(column(FlowColumn.SRC_ADDR)).containsExactly("198.51.100.10", "198.51.100.10");
    assertThat(rejects).containsExactly("bad-record-length");
  }
}
