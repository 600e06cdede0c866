package io.millrace.server.ingest;

import io.millrace.server.api.Pace;
import io.millrace.server.api.SenderAddress;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.Texts;
import java.util.Arrays;
import org.eclipse.jetty.server.Request;

/** What all requests and connections share. Thread-safe. */
record Ingest(
    IngestConfig config,
    Lanes lanes,
    FrameMemory memory,
    IngestTokens tokens,
    RateLimit rate,
    IngestCounts counts) {
  /** Bytes a second: gateways may have slow links. */
  static final long LEAST_RATE = 1_024;

  /** How slowly a body or message may come. */
  Pace.Terms pace() {
    return new Pace.Terms(LEAST_RATE, config.idleTimeout());
  }

  /** The first row that is of another gateway than the sender's token; −1 if none is. */
  int foreignRow(IngestTokens.Sender sender, GatewayBlock block) {
    byte[] own = sender.gateway();
    if (own == null) {
      return -1;
    }
    Texts ids = block.gateways();
    for (int row = 0; row < block.rows(); row++) {
      int start = ids.start(row);
      if (!Arrays.equals(own, 0, own.length, ids.bytes(), start, start + ids.length(row))) {
        return row;
      }
    }
    return -1;
  }

  /**
   * By whom records and memory are counted: the gateway of the token, else the address, of IPv6 its
   * network of 64 bits.
   */
  static Object senderOf(IngestTokens.Sender sender, Request request) {
    if (sender.gateway() != null) {
      return sender; // there is one object for each token
    }
    return addressOf(request);
  }

  /** The address, of IPv6 its network of 64 bits. */
  static SenderAddress addressOf(Request request) {
    return SenderAddress.of(request.getConnectionMetaData().getRemoteSocketAddress());
  }

  /**
   * To whom the names of its clients belong: the gateway of its token, whoever has the token for
   * all, or, where no token is asked for, the address.
   */
  static String ownerOf(IngestTokens.Sender sender, Request request) {
    return sender.isAnybody() ? addressOf(request).toString() : sender.toString();
  }

  /** Counts records of a request. */
  void count(IngestTokens.Sender sender, Request request, int records) {
    if (!rate.isOff()) {
      var unused = rate.take(senderOf(sender, request), records);
    }
  }
}
