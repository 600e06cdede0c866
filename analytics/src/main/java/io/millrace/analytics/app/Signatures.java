package io.millrace.analytics.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Protocols that are known by a few bytes: those of {@code signatures.tsv}, the first that matches
 * in the order of the file. Those with one first byte are tried for payloads that begin with it
 * alone. Immutable, so thread-safe.
 */
final class Signatures {
  private static final String RESOURCE = "signatures.tsv";

  private final Signature[][] overTcp;
  private final Signature[][] overUdp;

  private Signatures(List<Signature> all) {
    overTcp = byFirstByte(all.stream().filter(signature -> signature.overTcp).toList());
    overUdp = byFirstByte(all.stream().filter(signature -> signature.overUdp).toList());
  }

  private static Signature[][] byFirstByte(List<Signature> all) {
    Signature[][] lists = new Signature[256][];
    for (int first = 0; first < lists.length; first++) {
      int value = first;
      lists[first] =
          all.stream()
              .filter(signature -> signature.firstByte < 0 || signature.firstByte == value)
              .toArray(Signature[]::new);
    }
    return lists;
  }

  /** Those of the file, read once. */
  static Signatures builtIn() {
    return BuiltIn.ALL;
  }

  /** Read when it is first asked for. */
  private static final class BuiltIn {
    static final Signatures ALL = read();
  }

  private static Signatures read() {
    List<Signature> all = new ArrayList<>();
    try (InputStream in = Signatures.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          all.add(Signature.parse(line));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Signatures(all);
  }

  /** The first that matches; null if none does. */
  Signature find(Payload payload) {
    int first = payload.u8(0);
    if (first < 0) {
      return null;
    }
    for (Signature signature : (payload.isTcp ? overTcp : overUdp)[first]) {
      if (signature.matches(payload)) {
        return signature;
      }
    }
    return null;
  }
}
