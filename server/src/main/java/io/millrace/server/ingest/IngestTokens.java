package io.millrace.server.ingest;

import io.millrace.server.access.AccessToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Authorizes senders: anyone, holders of the shared token, or a gateway by its own. Immutable.
 *
 * <p>The file of gateway tokens has lines of id, blank or tab, token; empty lines and lines that
 * begin with {@code #} are skipped. Tokens are looked up by digest, so timing reveals nothing.
 */
final class IngestTokens {
  /** One object per token. */
  static final class Sender {
    private static final Sender NOBODY = new Sender(false, null);
    private static final Sender ANYBODY = new Sender(true, null);
    private static final Sender HOLDER = new Sender(true, null);

    private final boolean isAllowed;
    private final byte[] gateway;

    private Sender(boolean isAllowed, byte[] gateway) {
      this.isAllowed = isAllowed;
      this.gateway = gateway;
    }

    boolean isAllowed() {
      return isAllowed;
    }

    /** Whether only its address is known. */
    boolean isAnybody() {
      return this == ANYBODY;
    }

    @Override
    public String toString() {
      return gateway == null ? "" : new String(gateway, StandardCharsets.UTF_8);
    }

    /** The only gateway whose records it may send, in UTF-8; null for all. */
    byte[] gateway() {
      return gateway;
    }
  }

  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private final AccessToken all; // null if not configured
  private final Map<ByteBuffer, Sender> gateways;

  private IngestTokens(AccessToken all, Map<ByteBuffer, Sender> gateways) {
    this.all = all;
    this.gateways = gateways;
  }

  static IngestTokens read(IngestConfig config) throws IOException {
    AccessToken all =
        config.tokenFile() == null ? config.token() : AccessToken.read(config.tokenFile());
    Map<ByteBuffer, Sender> gateways = new HashMap<>();
    if (config.gatewayTokens() != null) {
      int number = 0;
      try (Stream<String> lines = Files.lines(config.gatewayTokens())) {
        for (String line : (Iterable<String>) lines::iterator) {
          number++;
          if (!line.isBlank() && !line.startsWith("#")) {
            String[] parts = BLANKS.split(line.strip(), -1);
            if (parts.length != 2) {
              throw new IOException(
                  "ingest.gateway-tokens: "
                      + config.gatewayTokens()
                      + ", line "
                      + number
                      + ": expected a gateway, a blank and its token");
            }
            gateways.put(
                ByteBuffer.wrap(AccessToken.digest(parts[1])),
                new Sender(true, parts[0].getBytes(StandardCharsets.UTF_8)));
          }
        }
      }
    }
    return new IngestTokens(all, config.gatewayTokens() == null ? null : gateways);
  }

  Sender sender(String authorization) {
    if (all == null && gateways == null) {
      return Sender.ANYBODY;
    }
    if (all != null && all.isShownBy(authorization)) {
      return Sender.HOLDER;
    }
    return gateways == null
        ? Sender.NOBODY
        : AccessToken.digestShownBy(authorization)
            .map(ByteBuffer::wrap)
            .map(gateways::get)
            .orElse(Sender.NOBODY);
  }
}
