package io.millrace.traffic.model;

import io.millrace.wire.block.Addresses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reader of the model's CSV inputs, plain or gzip: AS tables with lines such as {@code
 * 1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc."}, and reverse names with lines such as {@code
 * 8.8.8.8,dns.google}. Empty lines and lines that begin with {@code #} are ignored.
 */
public final class NetworkCsv {
  private NetworkCsv() {}

  /** Reads an AS table from a file. */
  public static List<NetworkRange> readRanges(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return readRanges(in, file.toString());
    }
  }

  /**
   * Reads an AS table.
   *
   * @param in text or gzip; stays open
   * @param source name of the input in errors
   * @throws IllegalArgumentException for an invalid line, with its number
   */
  public static List<NetworkRange> readRanges(InputStream in, String source) throws IOException {
    List<NetworkRange> ranges = new ArrayList<>();
    long[] first = new long[2];
    long[] last = new long[2];
    lines(
        in,
        source,
        line -> {
          String[] fields = line.split(",", 4);
          if (fields.length != 4
              || !Addresses.parse(fields[0], first)
              || !Addresses.parse(fields[1], last)) {
            throw new IllegalArgumentException("expected first,last,number,name");
          }
          long asNumber = Integer.toUnsignedLong(Integer.parseUnsignedInt(fields[2]));
          ranges.add(
              new NetworkRange(
                  first[0], first[1], last[0], last[1], asNumber, unquoted(fields[3])));
        });
    return ranges;
  }

  /**
   * Reads reverse names.
   *
   * @param in text or gzip; stays open
   * @param source name of the input in errors
   * @throws IllegalArgumentException for an invalid line, with its number
   */
  public static List<NamedAddress> readNames(InputStream in, String source) throws IOException {
    List<NamedAddress> names = new ArrayList<>();
    long[] address = new long[2];
    lines(
        in,
        source,
        line -> {
          int comma = line.indexOf(',');
          if (comma < 0 || !Addresses.parse(line.substring(0, comma), address)) {
            throw new IllegalArgumentException("expected address,name");
          }
          names.add(new NamedAddress(address[0], address[1], unquoted(line.substring(comma + 1))));
        });
    return names;
  }

  private interface LineReader {
    void read(String line);
  }

  private static void lines(InputStream in, String source, LineReader reader) throws IOException {
    PushbackInputStream head = new PushbackInputStream(in, 2);
    byte[] magic = head.readNBytes(2);
    head.unread(magic);
    boolean gzip = magic.length == 2 && magic[0] == 0x1F && (magic[1] & 255) == 0x8B;
    BufferedReader text =
        new BufferedReader(
            new InputStreamReader(
                gzip ? new GZIPInputStream(head, 1 << 16) : head, StandardCharsets.UTF_8));
    int number = 0;
    for (String line = text.readLine(); line != null; line = text.readLine()) {
      number++;
      if (line.isEmpty() || line.charAt(0) == '#') {
        continue;
      }
      try {
        reader.read(line);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            source + ":" + number + ": " + e.getMessage() + ": " + line, e);
      }
    }
  }

  private static String unquoted(String field) {
    int end = field.length() - 1;
    return end >= 1 && field.charAt(0) == '"' && field.charAt(end) == '"'
        ? field.substring(1, end).replace("\"\"", "\"")
        : field;
  }
}
