package io.millrace.server.ingest;

import io.millrace.server.api.Pace;
import io.millrace.server.api.SenderAddress;
import java.util.Map;
import org.eclipse.jetty.server.Request;

record Ingest(
    IngestConfig config,
    RecordFormat format,
    Lanes lanes,
    KnownClients clients,
    IngestTokens tokens,
    RateLimit rate,
    IngestCounts counts) {
  /**
   * Minimum rate of bodies and messages, bytes a second; low, because senders may have slow links.
   */
  static final long MIN_RATE = 1_024;

  Pace.Terms pace() {
    return new Pace.Terms(MIN_RATE, config.idleTimeout());
  }

  /** Error for records with another key than the token's; null if there are none. */
  Map<String, Object> foreign(IngestTokens.Sender sender, DecodedRecords decoded) {
    int row = sender.key() == null ? -1 : decoded.foreignRow(sender.key());
    return row < 0 ? null : IngestResponses.foreign(row, format.schema().key());
  }

  /** Key of rate and memory limits: a token of one key, or else the address, for IPv6 its /64. */
  static Object senderOf(IngestTokens.Sender sender, Request request) {
    if (sender.key() != null) {
      return sender; // one object per token
    }
    return addressOf(request);
  }

  static SenderAddress addressOf(Request request) {
    return SenderAddress.of(request.getConnectionMetaData().getRemoteSocketAddress());
  }

  /**
   * Owner of client names: the key of the token, the holders of the shared token, or, without
   * tokens, the address.
   */
  static String ownerOf(IngestTokens.Sender sender, Request request) {
    return sender.isAnybody() ? addressOf(request).toString() : sender.toString();
  }

  void count(IngestTokens.Sender sender, Request request, int records) {
    if (!rate.isOff()) {
      var unused = rate.take(senderOf(sender, request), records);
    }
  }
}
