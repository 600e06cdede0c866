package io.millrace.analytics.app;

import io.millrace.analytics.app.subscriber.Subscriber;
import io.millrace.analytics.flowtable.Flow;
import io.millrace.analytics.flowtable.HeadMemory;
import io.millrace.analytics.flowtable.StreamHead;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.nio.charset.StandardCharsets;

/** A flow and its application, as far as known. Not thread-safe. */
public final class AppFlow extends Flow {
  /** Application of an unidentified flow. */
  public static final String UNKNOWN_APP = "Unknown";

  private static final Evidence[] EVIDENCE = Evidence.values();

  private String appProtocol = UNKNOWN_APP;
  private String app = UNKNOWN_APP;
  private Evidence evidence = Evidence.NOTHING;
  private String name;
  private boolean isDecided;
  private Subscriber subscriber = Subscriber.UNKNOWN;

  // Tunnel endpoint of the first packet in a tunnel.
  private boolean isInTunnel;
  private long tunnelId;
  private long tunnelHigh;
  private long tunnelLow;

  // Packets and bytes already counted in the sums by application, and whether the flow is counted.
  long countedPackets;
  long countedBytes;
  boolean isCounted;

  // Usage not reported yet: start, packets, bytes. Reported every few seconds; 0 if disabled.
  long usageSinceMicros;
  long usagePackets;
  long usageBytes;

  // State of the classifier until the flow is classified.
  int examinedPackets;
  Dissector dissector;
  Object classifierState;
  StreamHead clientHead;
  StreamHead serverHead;

  /** The application protocol, as {@code TLS}; never null. */
  public String appProtocol() {
    return appProtocol;
  }

  /** The application, as {@code YouTube}; the protocol if unknown. */
  public String app() {
    return app;
  }

  /** Evidence for the application. */
  public Evidence evidence() {
    return evidence;
  }

  /** Name found, usually of a host; null if none. */
  public String name() {
    return name;
  }

  /** Subscriber of the packets' tunnel, or {@link Subscriber#UNKNOWN}. */
  public Subscriber subscriber() {
    return subscriber;
  }

  void setSubscriber(Subscriber subscriber) {
    this.subscriber = subscriber;
  }

  boolean isInTunnel() {
    return isInTunnel;
  }

  long tunnelId() {
    return tunnelId;
  }

  long tunnelHigh() {
    return tunnelHigh;
  }

  long tunnelLow() {
    return tunnelLow;
  }

  void setTunnel(long id, long high, long low) {
    if (!isInTunnel) {
      isInTunnel = true;
      tunnelId = id;
      tunnelHigh = high;
      tunnelLow = low;
    }
  }

  /** Whether the application is final. */
  public boolean isDecided() {
    return isDecided;
  }

  boolean isUnknown() {
    return evidence == Evidence.NOTHING;
  }

  /** Sets the application protocol of an unknown application. */
  void classify(String protocol, Evidence evidence) {
    classify(protocol, protocol, evidence);
  }

  /** Sets the application and its protocol. */
  void classify(String protocol, String app, Evidence evidence) {
    appProtocol = protocol;
    this.app = app;
    this.evidence = evidence;
  }

  void setName(String name) {
    this.name = name;
  }

  /**
   * Appends the flow, for a checkpoint. Partial results of a dissector are not saved: it restarts
   * with the first bytes of the stream, or with the next datagram.
   */
  @Override
  protected void write(BlockBuffer out) {
    super.write(out);
    write(out, appProtocol);
    write(out, app);
    write(out, name == null ? "" : name);
    out.putByte(evidence.ordinal());
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
    out.putShort(examinedPackets);
    out.putLong(countedPackets);
    out.putLong(countedBytes);
    out.putByte(isCounted ? 1 : 0);
    out.putLong(usageSinceMicros);
    out.putLong(usagePackets);
    out.putLong(usageBytes);
    subscriber.write(out);
    if (clientHead != null) {
      clientHead.write(out);
    }
    if (serverHead != null) {
      serverHead.write(out);
    }
  }

  void read(BlockInput in, int maxHeadBytes, HeadMemory memory) {
    read(in);
    appProtocol = text(in);
    app = text(in);
    name = text(in);
    name = name.isEmpty() ? null : name;
    evidence = EVIDENCE[in.takeByte()];
    int flags = in.takeByte();
    isDecided = (flags & 1) != 0;
    if ((flags & 8) != 0) {
      setTunnel(in.takeLong(), in.takeLong(), in.takeLong());
    }
    examinedPackets = in.takeShort();
    countedPackets = in.takeLong();
    countedBytes = in.takeLong();
    isCounted = in.takeByte() != 0;
    usageSinceMicros = in.takeLong();
    usagePackets = in.takeLong();
    usageBytes = in.takeLong();
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
    appProtocol = UNKNOWN_APP;
    app = UNKNOWN_APP;
    evidence = Evidence.NOTHING;
    name = null;
    isDecided = false;
    subscriber = Subscriber.UNKNOWN;
    isInTunnel = false;
    countedPackets = 0;
    countedBytes = 0;
    isCounted = false;
    usageSinceMicros = 0;
    usagePackets = 0;
    usageBytes = 0;
    examinedPackets = 0;
  }

  void decide() {
    isDecided = true;
    dissector = null;
    if (classifierState instanceof Classifier.FlowState state) {
      state.close();
    }
    classifierState = null;
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
