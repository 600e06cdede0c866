package io.millrace.server.ingest;

import io.millrace.server.access.AccessToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Authorizes senders: anyone if there are no tokens, or else holders of the shared token or of a
 * token for one key of a stream. Immutable.
 *
 * <p>Each line of the file of key tokens has stream, key and token, separated by blanks or tabs;
 * empty lines and lines that begin with {@code #} are skipped. Tokens are looked up by digest, so
 * response times reveal nothing about them.
 */
final class IngestTokens {
  /** Authorization of a sender; one object per token. */
  static final class Sender {
    private static final Sender NOBODY = new Sender(false, null, null);
    private static final Sender ANYBODY = new Sender(true, null, null);
    private static final Sender HOLDER = new Sender(true, null, null);

    private final boolean isAllowed;
    private final String stream;
    private final String key;

    private Sender(boolean isAllowed, String stream, String key) {
      this.isAllowed = isAllowed;
      this.stream = stream;
      this.key = key;
    }

    boolean isAllowed() {
      return isAllowed;
    }

    /** Whether the sender has no token, so that only its address is known. */
    boolean isAnybody() {
      return this == ANYBODY;
    }

    @Override
    public String toString() {
      return key == null ? "" : key;
    }

    /** Whether the sender may send records to a stream. */
    boolean maySendTo(String name) {
      return stream == null || stream.equals(name);
    }

    /** The only key of records that the sender may send; null for any. */
    String key() {
      return key;
    }
  }

  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private final AccessToken all; // null if not configured
  private final Map<ByteBuffer, Sender> ofKeys;

  private IngestTokens(AccessToken all, Map<ByteBuffer, Sender> ofKeys) {
    this.all = all;
    this.ofKeys = ofKeys;
  }

  static IngestTokens read(IngestConfig config) throws IOException {
    AccessToken all =
        config.tokenFile() == null ? config.token() : AccessToken.read(config.tokenFile());
    Map<ByteBuffer, Sender> ofKeys = new HashMap<>();
    if (config.keyTokens() != null) {
      int number = 0;
      try (Stream<String> lines = Files.lines(config.keyTokens())) {
        for (String line : (Iterable<String>) lines::iterator) {
          number++;
          if (!line.isBlank() && !line.startsWith("#")) {
            String[] parts = BLANKS.split(line.strip(), -1);
            if (parts.length != 3) {
              throw new IOException(
                  "ingest.key-tokens: "
                      + config.keyTokens()
                      + ", line "
                      + number
                      + ": expected a stream, a key and its token, with blanks between");
            }
            ofKeys.put(
                ByteBuffer.wrap(AccessToken.digest(parts[2])),
                new Sender(true, parts[0], parts[1]));
          }
        }
      }
    }
    return new IngestTokens(all, config.keyTokens() == null ? null : ofKeys);
  }

  Sender sender(String authorization) {
    if (all == null && ofKeys == null) {
      return Sender.ANYBODY;
    }
    if (all != null && all.matches(authorization)) {
      return Sender.HOLDER;
    }
    return ofKeys == null
        ? Sender.NOBODY
        : AccessToken.digestIn(authorization)
            .map(ByteBuffer::wrap)
            .map(ofKeys::get)
            .orElse(Sender.NOBODY);
  }
}
