package io.millrace.pipelines.imports;

import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.wire.nfdump.NfdumpException;
import io.millrace.wire.nfdump.NfdumpReader;
import io.millrace.wire.pcap.CaptureException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Recognises files of flows by their content. */
public final class FlowFiles {
  private static final String KNOWN =
      "pcap and pcapng, nfcapd of nfdump 1.6 and 1.7, Parquet of millrace export, and with"
          + " --mapping other CSV and Parquet (included mappings: "
          + String.join(", ", Mapping.INCLUDED)
          + ")";

  private FlowFiles() {}

  /**
   * Opens a file.
   *
   * @param config of decoding
   * @throws UnknownFormatException if the format is not supported
   * @throws IOException if it cannot be read
   */
  public static FlowFile open(Path file, FlowsConfig config, ImportOptions options)
      throws IOException {
    FileContent content = FileContent.of(file);
    try {
      if (options.mapping().isPresent()) {
        Mapping mapping = Mapping.of(options.mapping().get());
        return MappedFile.open(content, mapping, options.time());
      }
      if (NfdumpReader.recognises(content.head())) {
        return NfdumpFile.open(content);
      }
      if (isCapture(content.head())) {
        return CaptureFile.open(file, config);
      }
    } catch (CaptureException | NfdumpException | IllegalArgumentException e) {
      throw new UnknownFormatException(e.getMessage());
    }
    Optional<String> hint = hint(content.head());
    throw new UnknownFormatException(
        "unknown format" + hint.map(each -> " (" + each + ")").orElse("") + ", expected " + KNOWN);
  }

  /** Whether a file is Parquet, whoever wrote it. */
  public static boolean isParquet(Path file) throws IOException {
    return startsWith(FileContent.of(file).head(), "PAR1");
  }

  private static boolean isCapture(byte[] head) {
    if (head.length < 4) {
      return false;
    }
    int magic = java.nio.ByteBuffer.wrap(head).getInt(0);
    return switch (magic) {
      case 0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1, 0x0A0D0D0A -> true;
      default -> false;
    };
  }

  private static Optional<String> hint(byte[] head) {
    if (head.length == 0) {
      return Optional.of("the file is empty");
    }
    if (startsWith(head, "FLOW,") || startsWith(head, "CNTR,")) {
      return Optional.of("output of sflowtool: give --mapping sflowtool and --time");
    }
    if (startsWith(head, "PAR1")) {
      return Optional.of("Parquet not written by Millrace: give a --mapping");
    }
    return Optional.empty();
  }

  private static boolean startsWith(byte[] head, String text) {
    byte[] wanted = text.getBytes(StandardCharsets.US_ASCII);
    return head.length >= wanted.length
        && java.util.Arrays.equals(head, 0, wanted.length, wanted, 0, wanted.length);
  }
}
