package io.millrace.lab.apps;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** A conversation of two ends: the first payloads, and the number of packets after them. */
final class Conversation {
  private static final String DNS_END = "00010001";

  private static final List<String[]> HOSTS =
      List.of(
          new String[] {"r3---sn-4g5ednsl.googlevideo.com", "YouTube"},
          new String[] {"www.google.com", "Google"},
          new String[] {"ipv4-c1-fra1.nflxvideo.net", "NetFlix"},
          new String[] {"scontent.xx.fbcdn.net", "Facebook"},
          new String[] {"scontent.cdninstagram.com", "Instagram"},
          new String[] {"www.example.org", ""},
          new String[] {"api.weibo.cn", "Sina(Weibo)"},
          new String[] {"short.wechat.com", "WeChat"},
          new String[] {"outlook.office.com", "Outlook"},
          new String[] {"www.internal.example.net", ""});

  final boolean isTcp;
  final int serverPort;
  final String app;
  final byte[] fromClient;
  final byte[] fromServer;

  /** Number of packets after the first payloads. */
  final int more;

  /** Payload bytes of each of them, from the server. */
  final int moreBytes;

  /** Header of each RTP packet; null for other conversations. */
  final byte[] eachHead;

  private Conversation(
      boolean isTcp,
      int serverPort,
      String app,
      byte[] fromClient,
      byte[] fromServer,
      int more,
      int moreBytes,
      byte[] eachHead) {
    this.isTcp = isTcp;
    this.serverPort = serverPort;
    this.app = app;
    this.fromClient = fromClient;
    this.fromServer = fromServer;
    this.more = more;
    this.moreBytes = moreBytes;
    this.eachHead = eachHead;
  }

  /** Returns one of a mix in which most bytes are TLS and QUIC, and many flows are DNS. */
  static Conversation next(Random random) throws GeneralSecurityException {
    String[] host = HOSTS.get(random.nextInt(HOSTS.size()));
    int kind = random.nextInt(100);
    if (kind < 38) {
      byte[] greeting = record(hello(host[0], random));
      String app = host[1].isEmpty() ? "TLS" : host[1];
      return tcp(443, app, greeting, record(serverHello()), 20 + random.nextInt(60), 1380);
    }
    if (kind < 52) {
      byte[] id = new byte[8];
      random.nextBytes(id);
      byte[] greeting = QuicGreeting.of(id, hello(host[0], random));
      String app = host[1].isEmpty() ? "QUIC" : host[1];
      return udp(443, app, greeting, new byte[1200], 20 + random.nextInt(80), 1250);
    }
    if (kind < 74) {
      byte[] question = question(host[0]);
      String app = host[1].isEmpty() ? "DNS" : host[1];
      return udp(53, app, question, answer(question), 0, 0);
    }
    if (kind < 86) {
      String app = host[1].isEmpty() ? "HTTP" : host[1];
      byte[] request =
          text("GET /a HTTP/1.1\r\nUser-Agent: bench\r\nHost: " + host[0] + "\r\n\r\n");
      byte[] reply = text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>");
      return tcp(80, app, request, reply, 10 + random.nextInt(40), 1380);
    }
    if (kind < 90) {
      byte[] head = new byte[12];
      random.nextBytes(head);
      head[0] = (byte) 0x80;
      head[1] = 0;
      return new Conversation(
          false, 30_000, "RTP", new byte[0], new byte[0], 100 + random.nextInt(100), 160, head);
    }
    if (kind < 94) {
      byte[] handshake = join(new byte[] {19}, text("BitTorrent protocol"), new byte[48]);
      return tcp(51_413, "BitTorrent", handshake, handshake, 20 + random.nextInt(40), 1380);
    }
    if (kind < 97) {
      byte[] first = text("SSH-2.0-OpenSSH_9.2p1\r\n");
      return tcp(22, "SSH", first, first, 20 + random.nextInt(100), 120);
    }
    byte[] time = new byte[48];
    time[0] = 0x23;
    return udp(123, "NTP", time, time, 0, 0);
  }

  /** Number, from 0, of the packet that identifies the application; RTP needs three packets. */
  int toldBy() {
    return isTcp ? 3 : eachHead == null ? 0 : 2;
  }

  private static Conversation tcp(
      int port, String app, byte[] fromClient, byte[] fromServer, int more, int moreBytes) {
    return new Conversation(true, port, app, fromClient, fromServer, more, moreBytes, null);
  }

  private static Conversation udp(
      int port, String app, byte[] fromClient, byte[] fromServer, int more, int moreBytes) {
    return new Conversation(false, port, app, fromClient, fromServer, more, moreBytes, null);
  }

  private static byte[] hello(String host, Random random) {
    byte[] name = join(new byte[] {0}, sized(text(host)));
    byte[] keys = new byte[36];
    byte[] noise = new byte[32];
    random.nextBytes(noise);
    byte[] extensions =
        join(
            u16(0x0A0A),
            sized(new byte[0]),
            u16(0),
            sized(sized(name)),
            u16(16),
            sized(sized(join(new byte[] {2}, text("h2")))),
            u16(51),
            sized(sized(keys)),
            u16(21),
            sized(new byte[200]));
    byte[] body =
        join(
            u16(0x0303),
            noise,
            new byte[] {0},
            sized(join(u16(0x1301), u16(0x1302))),
            new byte[] {1, 0},
            sized(extensions));
    return join(new byte[] {1, 0}, sized(body));
  }

  private static byte[] serverHello() {
    byte[] versions = join(u16(43), sized(u16(0x0304)));
    byte[] body =
        join(
            u16(0x0303),
            new byte[32],
            new byte[] {0},
            u16(0x1301),
            new byte[] {0},
            sized(versions));
    return join(new byte[] {2, 0}, sized(body));
  }

  private static byte[] record(byte[] handshake) {
    return join(new byte[] {22, 3, 3}, sized(handshake));
  }

  private static byte[] question(String host) {
    ByteArrayOutputStream question = new ByteArrayOutputStream();
    question.writeBytes(HexFormat.of().parseHex("abcd01000001000000000000"));
    for (String label : host.split("\\.", -1)) {
      question.write(label.length());
      question.writeBytes(text(label));
    }
    question.write(0);
    question.writeBytes(HexFormat.of().parseHex(DNS_END));
    return question.toByteArray();
  }

  private static byte[] answer(byte[] question) {
    byte[] answer =
        join(question, HexFormat.of().parseHex("c00c" + DNS_END + "0000003c0004c6336401"));
    answer[2] = (byte) 0x81;
    answer[3] = (byte) 0x80;
    answer[7] = 1;
    return answer;
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] u16(int value) {
    return new byte[] {(byte) (value >>> 8), (byte) value};
  }

  private static byte[] sized(byte[] body) {
    return join(u16(body.length), body);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    return joined.toByteArray();
  }
}
