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
 * Authorizes senders: anyone, holders of the shared token, or of a token for one key of a stream.
 * Immutable.
 *
 * <p>The file of key tokens has lines of stream, key and token with blanks or tabs between; empty
 * lines and lines that begin with {@code #} are skipped. Tokens are looked up by digest, so timing
 * reveals nothing.
 */
final class IngestTokens {
  /** One object per token. */
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

    /** Whether only its address is known. */
    boolean isAnybody() {
      return this == ANYBODY;
    }

    @Override
    public String toString() {
      return key == null ? "" : key;
    }

    /** Whether it may send records to that stream. */
    boolean maySendTo(String name) {
      return stream == null || stream.equals(name);
    }

    /** The only key of the records that it may send; null for all. */
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
        : AccessToken.digestShownBy(authorization)
            .map(ByteBuffer::wrap)
            .map(ofKeys::get)
            .orElse(Sender.NOBODY);
  }
}
