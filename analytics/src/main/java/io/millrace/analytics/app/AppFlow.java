package io.millrace.analytics.app;

import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.flowtable.Flow;
import io.millrace.analytics.flowtable.HeadMemory;
import io.millrace.analytics.flowtable.StreamHead;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.nio.charset.StandardCharsets;

/** A flow, and the application that it is of as far as that is known. Not thread-safe. */
public final class AppFlow extends Flow {
  /** The application of a flow of which nothing is known. */
  public static final String UNKNOWN_APP = "Unknown";

  private static final Evidence[] WAYS = Evidence.values();

  private String spoken = UNKNOWN_APP;
  private String app = UNKNOWN_APP;
  private Evidence by = Evidence.NOTHING;
  private String name;
  private boolean isDecided;
  private Subscriber subscriber = Subscriber.UNKNOWN;

  // The tunnel's end to which the first packet that came in a tunnel was sent.
  private boolean isInTunnel;
  private long tunnelId;
  private long tunnelHigh;
  private long tunnelLow;

  // Packets and bytes that are counted in the sums by application already, and whether the flow
  // itself is.
  long countedPackets;
  long countedBytes;
  boolean isCounted;

  // Use that is not reported yet: since when, packets, bytes. Reports go out every few seconds; all
  // 0 where none do.
  long usedSinceMicros;
  long usedPackets;
  long usedBytes;

  // What classifiers keep until they are sure.
  int looks;
  Dissector dissector;
  Object notes;
  StreamHead clientHead;
  StreamHead serverHead;

  /** What is spoken, {@code TLS}; never null. */
  public String spoken() {
    return spoken;
  }

  /** The application, {@code YouTube}; the protocol's name where it is of no known one. */
  public String app() {
    return app;
  }

  /** How the application was known. */
  public Evidence by() {
    return by;
  }

  /** The name that was seen, of a host as a rule; null if none. */
  public String name() {
    return name;
  }

  /** The subscriber to whom the tunnel of its packets belongs, or {@link Subscriber#UNKNOWN}. */
  public Subscriber subscriber() {
    return subscriber;
  }

  void subscriber(Subscriber found) {
    subscriber = found;
  }

  /** Whether packets came in a tunnel of GTP. */
  boolean isInTunnel() {
    return isInTunnel;
  }

  /** The number of the tunnel at its end. */
  long tunnelId() {
    return tunnelId;
  }

  /** Upper half of the address at which it ends. */
  long tunnelHigh() {
    return tunnelHigh;
  }

  /** Lower half of that. */
  long tunnelLow() {
    return tunnelLow;
  }

  /** A packet came to that end of a tunnel; the first one is kept. */
  void inTunnel(long id, long high, long low) {
    if (!isInTunnel) {
      isInTunnel = true;
      tunnelId = id;
      tunnelHigh = high;
      tunnelLow = low;
    }
  }

  /** Whether the application is not going to change. */
  public boolean isDecided() {
    return isDecided;
  }

  /** Whether nothing is known yet. */
  boolean isUnknown() {
    return by == Evidence.NOTHING;
  }

  /** The flow speaks this protocol, and no application is known. */
  void speaks(String protocol, Evidence how) {
    is(protocol, protocol, how);
  }

  void is(String protocol, String application, Evidence how) {
    spoken = protocol;
    app = application;
    by = how;
  }

  void named(String seen) {
    name = seen;
  }

  /**
   * Appends it, for a checkpoint. What a dissector at work has noted is not kept: it begins again
   * with the bytes of the stream, of datagrams with the next one.
   */
  @Override
  protected void write(BlockBuffer out) {
    super.write(out);
    write(out, spoken);
    write(out, app);
    write(out, name == null ? "" : name);
    out.putByte(by.ordinal());
    out.putByte(
        (isDecided ? 1 : 0)
            | (clientHead != null ? 2 : 0)
            | (serverHead != null ? 4 : 0)
            | (isInTunnel ? 8 : 0));
    if (isInTunnel) {
      out.putLong(tunnelId);
      out.putLong(tunnelHigh);
      out.putLong(tunnelLow);
    }
    out.putShort(looks);
    out.putLong(countedPackets);
    out.putLong(countedBytes);
    out.putByte(isCounted ? 1 : 0);
    out.putLong(usedSinceMicros);
    out.putLong(usedPackets);
    out.putLong(usedBytes);
    subscriber.write(out);
    if (clientHead != null) {
      clientHead.write(out);
    }
    if (serverHead != null) {
      serverHead.write(out);
    }
  }

  /** Takes back what {@link #write} wrote, with heads out of that memory. */
  void read(BlockInput in, int maxHeadBytes, HeadMemory memory) {
    read(in);
    spoken = text(in);
    app = text(in);
    name = text(in);
    name = name.isEmpty() ? null : name;
    by = WAYS[in.takeByte()];
    int flags = in.takeByte();
    isDecided = (flags & 1) != 0;
    if ((flags & 8) != 0) {
      inTunnel(in.takeLong(), in.takeLong(), in.takeLong());
    }
    looks = in.takeShort();
    countedPackets = in.takeLong();
    countedBytes = in.takeLong();
    isCounted = in.takeByte() != 0;
    usedSinceMicros = in.takeLong();
    usedPackets = in.takeLong();
    usedBytes = in.takeLong();
    subscriber = Subscriber.read(in);
    if ((flags & 2) != 0) {
      clientHead = new StreamHead(maxHeadBytes, memory);
      clientHead.read(in);
    }
    if ((flags & 4) != 0) {
      serverHead = new StreamHead(maxHeadBytes, memory);
      serverHead.read(in);
    }
  }

  private static void write(BlockBuffer out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.putShort(utf8.length);
    out.put(utf8, 0, utf8.length);
  }

  private static String text(BlockInput in) {
    int length = in.takeShort();
    return new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
  }

  @Override
  protected void clear() {
    super.clear();
    spoken = UNKNOWN_APP;
    app = UNKNOWN_APP;
    by = Evidence.NOTHING;
    name = null;
    isDecided = false;
    subscriber = Subscriber.UNKNOWN;
    isInTunnel = false;
    countedPackets = 0;
    countedBytes = 0;
    isCounted = false;
    usedSinceMicros = 0;
    usedPackets = 0;
    usedBytes = 0;
    looks = 0;
  }

  /** Nothing more is looked at; what was kept for that is given back. */
  void decide() {
    isDecided = true;
    dissector = null;
    if (notes instanceof Classifier.Notes held) {
      held.close();
    }
    notes = null;
    close();
  }

  void close() {
    if (clientHead != null) {
      clientHead.close();
      clientHead = null;
    }
    if (serverHead != null) {
      serverHead.close();
      serverHead = null;
    }
  }
}
