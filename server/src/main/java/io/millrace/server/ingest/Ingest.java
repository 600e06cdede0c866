package io.millrace.server.ingest;

import io.millrace.server.api.Pace;
import io.millrace.server.api.SenderAddress;
import org.eclipse.jetty.server.Request;

/** What all requests and connections of one stream share. Thread-safe. */
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
  static int foreignRow(IngestTokens.Sender sender, Decoding decoded) {
    return sender.gateway() == null ? -1 : decoded.foreignRow(sender.gateway());
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
