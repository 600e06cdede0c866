package io.millrace.wire.pcap;

import io.millrace.wire.packet.LinkType;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reader of the packets of a capture: classic pcap (µs and ns, both byte orders) and pcapng, plain
 * or gzipped, detected by their first bytes.
 *
 * <p>The reader is itself the view of the current packet: {@link #next()} moves it, and the other
 * methods describe that packet until the next call. It holds one packet ({@value
 * CaptureInput#MAX_PACKET_LENGTH} bytes at most). Not thread-safe; the caller closes the stream.
 *
 * <pre>{@code
 * CaptureReader capture = CaptureReader.open(in);
 * while (capture.next()) {
 *   extractor.packet(capture);
 * }
 * }</pre>
 */
public abstract class CaptureReader {
  private static final int GZIP_MAGIC = 0x1F8B;
  private static final int MAGIC_LENGTH = 4;

  final CaptureInput in;
  private long frame;
  private int offset;
  private int length;
  private boolean ended;

  long timeMicros;

  int linkNumber;
  int interfaceNumber;
  LinkType linkType = LinkType.UNKNOWN;
  long wireLength;

  CaptureReader(CaptureInput in) {
    this.in = in;
  }

  /**
   * Opens a capture.
   *
   * @param stream at the first byte of the capture; buffered here
   * @throws CaptureException if it is not a capture, or ends within its header
   * @throws IOException if the stream cannot be read
   */
  public static CaptureReader open(InputStream stream) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(stream, 1 << 16);
    buffered.mark(2);
    boolean gzipped = (buffered.read() << 8 | buffered.read()) == GZIP_MAGIC;
    buffered.reset();
    CaptureInput in = new CaptureInput(gzipped ? gunzip(buffered) : buffered);
    in.require(MAGIC_LENGTH, "its first four bytes");
    int magic = in.int32(0);
    if (magic == PcapngReader.SECTION_HEADER) {
      return new PcapngReader(in);
    }
    PcapReader.Variant variant = PcapReader.Variant.of(magic);
    if (variant == null) {
      throw new CaptureException(
          "neither pcap nor pcapng: starts with 0x" + Integer.toHexString(magic), 0);
    }
    return new PcapReader(in, variant);
  }

  private static InputStream gunzip(InputStream in) throws IOException {
    try {
      return new BufferedInputStream(new GZIPInputStream(in, 1 << 16), 1 << 16);
    } catch (ZipException | EOFException e) {
      throw new CaptureException("damaged gzip data: " + e.getMessage(), 0);
    }
  }

  /**
   * Moves to the next packet.
   *
   * @return false after the last packet, and always after an exception
   * @throws CaptureException if the capture is damaged here or ends within a packet
   * @throws IOException if the stream cannot be read
   */
  public final boolean next() throws IOException {
    if (ended) {
      return false;
    }
    ended = true; // no retry after damage
    if (!readPacket()) {
      return false;
    }
    ended = false;
    frame++;
    return true;
  }

  abstract boolean readPacket() throws IOException;

  final void captured(int offset, int length) {
    this.offset = offset;
    this.length = length;
  }

  final int checkLength(long captured) throws CaptureException {
    if (captured > CaptureInput.MAX_PACKET_LENGTH) {
      throw in.broken(
          "packet %d has a captured length of %d bytes, more than the maximum of %d"
              .formatted(frame + 1, captured, CaptureInput.MAX_PACKET_LENGTH));
    }
    return (int) captured;
  }

  /** Number of the packet in the capture, from 1. */
  public final long frame() {
    return frame;
  }

  /**
   * Capture time, microseconds since the epoch, finer resolutions rounded down. Without a time
   * (simple packet blocks): that of the previous packet, or 0.
   */
  public final long timeMicros() {
    return timeMicros;
  }

  /** Link type of the packet. */
  public final LinkType linkType() {
    return linkType;
  }

  /** The registry's number of the link type, also if {@link #linkType()} is unknown. */
  public final int linkNumber() {
    return linkNumber;
  }

  /** Number of the interface in its section of the capture; 0 for formats without interfaces. */
  public final int interfaceNumber() {
    return interfaceNumber;
  }

  /** Array with the captured bytes; not a copy, overwritten by {@link #next()}. */
  public final byte[] bytes() {
    return in.window();
  }

  /** Offset of the captured bytes in {@link #bytes()}. */
  public final int offset() {
    return offset;
  }

  /** Number of captured bytes. */
  public final int length() {
    return length;
  }

  /** Length of the packet on the wire in bytes, 0 to 2³²−1; more than captured if truncated. */
  public final long wireLength() {
    return wireLength;
  }
}
