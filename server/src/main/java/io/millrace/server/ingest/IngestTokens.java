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
 * Who may send: anybody, who shows the token for all, or a gateway with its own. Immutable.
 *
 * <p>The file of gateways' tokens has one gateway a line, its id, a blank or tab, its token; empty
 * lines and those that begin with {@code #} are passed over. Only digests are kept, and a token is
 * found by its digest, so that the time it takes tells nothing about it.
 */
final class IngestTokens {
  /** Who sends. There is one object for each token. */
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

    /** Whether the request may be taken at all. */
    boolean isAllowed() {
      return isAllowed;
    }

    /** Whether it is known by nothing but its address. */
    boolean isAnybody() {
      return this == ANYBODY;
    }

    @Override
    public String toString() {
      return gateway == null ? "" : new String(gateway, StandardCharsets.UTF_8);
    }

    /** The gateway of which alone it may bring records, in UTF-8; null for all. */
    byte[] gateway() {
      return gateway;
    }
  }

  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private final AccessToken all; // null for none
  private final Map<ByteBuffer, Sender> gateways;

  private IngestTokens(AccessToken all, Map<ByteBuffer, Sender> gateways) {
    this.all = all;
    this.gateways = gateways;
  }

  /**
   * The tokens of the configuration.
   *
   * @throws IOException if a file cannot be read, or is wrong; says where
   */
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
                      + ": a gateway, a blank and its token are expected");
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

  /** Who shows that value of an {@code Authorization} header; it may be missing. */
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
