package io.millrace.wire.goflow2;

import io.millrace.wire.block.FlowColumn;
import java.util.Set;

/** Removes what GoFlow2's messages cannot represent, so that rows equal those read back. */
final class FlowMessagesOnly {
  static final Set<FlowColumn> HAVE_NO_FIELD_OF_GOFLOW2 =
      Set.of(
          FlowColumn.NAT_SRC_ADDR,
          FlowColumn.NAT_DST_ADDR,
          FlowColumn.NAT_SRC_PORT,
          FlowColumn.NAT_DST_PORT,
          FlowColumn.IN_VRF,
          FlowColumn.OUT_VRF,
          FlowColumn.APP_ID,
          FlowColumn.AGENT,
          FlowColumn.SUB_AGENT,
          FlowColumn.TUNNEL,
          FlowColumn.TUNNEL_ID,
          FlowColumn.SAMPLER);

  private FlowMessagesOnly() {}
}
