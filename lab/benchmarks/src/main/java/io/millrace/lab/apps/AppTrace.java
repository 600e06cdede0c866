package io.millrace.lab.apps;

import io.millrace.wire.packet.BigEndian;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Random;

/**
 * A synthetic trace of whole Ethernet frames in the format of a capture file, with the application
 * of each flow. Thousands of conversations run concurrently; the client's address and port identify
 * the flow of a packet.
 */
public final class AppTrace {
  private static final int FILE_HEADER = 24;
  static final int RECORD_HEADER = 16;
  private static final int ETHERNET = 14;
  private static final int IP = 20;
  private static final int TCP = 20;
  private static final int UDP = 8;
  private static final int MAX_FRAME = 1_600;
  private static final int AT_A_TIME = 4_000;
  private static final int FIRST_CLIENT = 0x0A000000;
  private static final int FIRST_SERVER = 0xC6336400;
  private static final int SYN = 2;
  private static final int ACK = 16;
  private static final long MICROS_A_PACKET = 2;
  private static final int FIN_ACK = 17;
  private static final byte[] NOTHING = {};
  private static final byte[] SHORT_HEADER = {0x40, 1, 2, 3, 4, 5, 6, 7, 8};

  private byte[] file;
  private int length;
  private int packets;
  private String[] apps = new String[1 << 12];
  private int flows;
  private int identifiable;

  private static final class Live {
    int flow;
    Conversation said;
    int step;
    int clientNumber;
    int serverNumber;
  }

  /**
   * Generates a trace.
   *
   * @param wanted number of packets
   */
  public AppTrace(int wanted, long seed) throws GeneralSecurityException {
    file = new byte[Math.max(1 << 16, wanted * 700)];
    ByteBuffer.wrap(file)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0xA1B2C3D4)
        .putShort((short) 2)
        .putShort((short) 4)
        .putLong(0)
        .putInt(65_535)
        .putInt(1);
    length = FILE_HEADER;
    Random random = new Random(seed);
    Live[] live = new Live[AT_A_TIME];
    while (packets < wanted) {
      int which = random.nextInt(live.length);
      if (live[which] == null) {
        live[which] = begin(random);
      }
      if (!step(live[which])) {
        live[which] = null;
      }
    }
  }

  private Live begin(Random random) throws GeneralSecurityException {
    Live live = new Live();
    live.flow = flows;
    live.said = Conversation.next(random);
    live.clientNumber = random.nextInt();
    live.serverNumber = random.nextInt();
    if (flows == apps.length) {
      apps = Arrays.copyOf(apps, 2 * flows);
    }
    flows++;
    return live;
  }

  /** Writes the conversation's next packet; false if it was the last. */
  private boolean step(Live live) {
    Conversation said = live.said;
    int step = live.step++;
    if (step == said.toldBy()) {
      apps[live.flow] = said.app;
      identifiable++;
    }
    if (!said.isTcp) {
      if (said.eachHead != null) {
        byte[] head = said.eachHead;
        BigEndian.put16(head, 2, BigEndian.u16(head, 2) + 1);
        datagram(live, true, head, said.moreBytes);
        return step < said.more;
      }
      if (step < 2) {
        datagram(live, step == 0, step == 0 ? said.fromClient : said.fromServer, 0);
      } else {
        boolean isBack = step % 3 == 0;
        datagram(live, isBack, SHORT_HEADER, isBack ? 24 : said.moreBytes);
      }
      return step + 1 < 2 + said.more;
    }
    switch (step) {
      case 0 -> segment(live, true, SYN, NOTHING, 0);
      case 1 -> segment(live, false, SYN | ACK, NOTHING, 0);
      case 2 -> segment(live, true, ACK, NOTHING, 0);
      case 3 -> segment(live, true, ACK | 8, said.fromClient, 0);
      case 4 -> segment(live, false, ACK | 8, said.fromServer, 0);
      default -> {
        int left = said.more + 5 - step;
        if (left > 0) {
          boolean isBack = step % 3 == 0;
          segment(live, isBack, ACK, NOTHING, isBack ? 0 : said.moreBytes);
        } else {
          segment(live, left == 0, FIN_ACK, NOTHING, 0);
          return left == 0;
        }
      }
    }
    return true;
  }

  private void datagram(Live live, boolean fromClient, byte[] payload, int more) {
    int at = frame(live, fromClient, 17, UDP + payload.length + more);
    BigEndian.put16(file, at + 4, UDP + payload.length + more);
    System.arraycopy(payload, 0, file, at + UDP, payload.length);
  }

  private void segment(Live live, boolean fromClient, int flags, byte[] payload, int more) {
    int sent = payload.length + more;
    int at = frame(live, fromClient, 6, TCP + sent);
    int number = fromClient ? live.clientNumber : live.serverNumber;
    BigEndian.put32(file, at + 4, number);
    BigEndian.put32(file, at + 8, fromClient ? live.serverNumber : live.clientNumber);
    file[at + 12] = 0x50;
    file[at + 13] = (byte) flags;
    BigEndian.put16(file, at + 14, 0xFFFF);
    System.arraycopy(payload, 0, file, at + TCP, payload.length);
    int next = number + sent + ((flags & 3) != 0 ? 1 : 0);
    if (fromClient) {
      live.clientNumber = next;
    } else {
      live.serverNumber = next;
    }
  }

  /** Writes a packet's headers and ports, and returns the offset of its transport header. */
  private int frame(Live live, boolean fromClient, int protocol, int ipPayload) {
    if (length + MAX_FRAME + RECORD_HEADER > file.length) {
      file = Arrays.copyOf(file, (int) Math.min(Integer.MAX_VALUE - 16, file.length * 3L / 2));
    }
    int bytes = ETHERNET + IP + ipPayload;
    long micros = packets * MICROS_A_PACKET;
    ByteBuffer.wrap(file, length, RECORD_HEADER)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt((int) (1_700_000_000 + micros / 1_000_000))
        .putInt((int) (micros % 1_000_000))
        .putInt(bytes)
        .putInt(bytes);
    int at = length + RECORD_HEADER;
    BigEndian.put16(file, at + 12, 0x0800);
    at += ETHERNET;
    file[at] = 0x45;
    BigEndian.put16(file, at + 2, IP + ipPayload);
    file[at + 8] = 64;
    file[at + 9] = (byte) protocol;
    int client = client(live.flow);
    int server = FIRST_SERVER + live.flow % 251;
    BigEndian.put32(file, at + 12, fromClient ? client : server);
    BigEndian.put32(file, at + 16, fromClient ? server : client);
    at += IP;
    int clientPort = clientPort(live.flow);
    BigEndian.put16(file, at, fromClient ? clientPort : live.said.serverPort);
    BigEndian.put16(file, at + 2, fromClient ? live.said.serverPort : clientPort);
    length += RECORD_HEADER + bytes;
    packets++;
    return at;
  }

  private static int client(int flow) {
    return FIRST_CLIENT + (flow >>> 8);
  }

  private static int clientPort(int flow) {
    return 40_000 + (flow & 0xFF);
  }

  /** Number of flows whose identifying packet is in the trace, which may end before it. */
  int identifiable() {
    return identifiable;
  }

  /** The application of a client's flow; null if its identifying packet is missing. */
  String app(int client, int port) {
    return apps[(client - FIRST_CLIENT) << 8 | port - 40_000];
  }

  /** The capture file; not a copy. */
  byte[] file() {
    return file;
  }

  /** Offset of the first packet's record header. */
  static int start() {
    return FILE_HEADER;
  }

  /** End of the file, exclusive. */
  int end() {
    return length;
  }

  int packets() {
    return packets;
  }

  int flows() {
    return flows;
  }

  long bytes() {
    return length - FILE_HEADER - (long) packets * RECORD_HEADER;
  }

  /** Iterates over the packets from the first one. */
  public Rounds rounds() {
    return new Rounds();
  }

  /**
   * Endless iteration over the packets, with other clients in each of 256 rounds. Not thread-safe.
   */
  public final class Rounds {
    private final byte[] frame = new byte[MAX_FRAME];
    private int at = FILE_HEADER;
    private int shown;
    private int round;

    private Rounds() {}

    /** Advances to the next packet. */
    public void next() {
      if (at == length) {
        at = FILE_HEADER;
        round++;
      }
      shown = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(at + 8);
      System.arraycopy(file, at + RECORD_HEADER, frame, 0, shown);
      int source = ETHERNET + 12;
      int client = frame[source] == FIRST_CLIENT >>> 24 ? source : source + 4;
      frame[client + 1] = (byte) round;
      at += RECORD_HEADER + shown;
    }

    /** Buffer of the current packet, from 0; reused for the next one. */
    public byte[] bytes() {
      return frame;
    }

    /** Length of the current packet. */
    public int length() {
      return shown;
    }
  }

  void write(Path to) throws IOException {
    try (OutputStream out = Files.newOutputStream(to)) {
      out.write(file, 0, length);
    }
  }
}
