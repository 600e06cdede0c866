package io.millrace.analytics.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Signatures of {@code signatures.tsv}, indexed by first byte and port; the first match wins. */
final class Signatures {
  private static final String RESOURCE = "signatures.tsv";

  private final Transport overTcp;
  private final Transport overUdp;

  private Signatures(List<Signature> all) {
    overTcp = new Transport(all.stream().filter(signature -> signature.overTcp).toList());
    overUdp = new Transport(all.stream().filter(signature -> signature.overUdp).toList());
  }

  private static final class Transport {
    private static final Signature[] NONE = {};

    private final Signature[][] onAnyPort = new Signature[256][];

    private final Map<Integer, Signature[]> onPorts = new HashMap<>();

    Transport(List<Signature> all) {
      for (int first = 0; first < onAnyPort.length; first++) {
        int value = first;
        onAnyPort[first] =
            all.stream()
                .filter(signature -> signature.ports.length == 0 && signature.mayBegin(value))
                .toArray(Signature[]::new);
      }
      all.stream()
          .flatMapToInt(signature -> Arrays.stream(signature.ports))
          .distinct()
          .forEach(port -> onPorts.put(port, asking(all, port)));
    }

    private static Signature[] asking(List<Signature> all, int port) {
      return all.stream()
          .filter(signature -> Arrays.stream(signature.ports).anyMatch(one -> one == port))
          .toArray(Signature[]::new);
    }

    Signature find(int first, Payload payload) {
      Signature found = earliest(onAnyPort[first], first, payload, null);
      found = earliest(onPorts.getOrDefault(payload.sourcePort, NONE), first, payload, found);
      return earliest(onPorts.getOrDefault(payload.destinationPort, NONE), first, payload, found);
    }

    private static Signature earliest(
        Signature[] list, int first, Payload payload, Signature other) {
      for (Signature signature : list) {
        if (other != null && other.place < signature.place) {
          return other;
        }
        if (signature.mayBegin(first) && signature.matches(payload)) {
          return signature;
        }
      }
      return other;
    }
  }

  static Signatures builtIn() {
    return BuiltIn.ALL;
  }

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
          all.add(Signature.parse(line, all.size()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Signatures(all);
  }

  Signature find(Payload payload) {
    int first = payload.u8(0);
    if (first < 0) {
      return null;
    }
    return (payload.isTcp ? overTcp : overUdp).find(first, payload);
  }
}
