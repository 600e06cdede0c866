package io.millrace.lab.apps;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A client's first QUIC packet of version 1 (RFC 9001 section 5), of the minimum length. */
final class QuicGreeting {
  private static final byte[] SALT =
      HexFormat.of().parseHex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a");
  private static final int DATAGRAM = 1200;
  private static final int TAG = 16;

  private QuicGreeting() {}

  /** Returns a datagram with a TLS ClientHello, for a connection ID of eight bytes. */
  static byte[] of(byte[] connection, byte[] greeting) throws GeneralSecurityException {
    byte[] secret = expand(hmac(SALT, connection), "client in", 32);
    byte[] head = new byte[1 + 4 + 1 + 8 + 1 + 1 + 2 + 1];
    head[0] = (byte) 0xC0;
    head[4] = 1;
    head[5] = 8;
    System.arraycopy(connection, 0, head, 6, 8);
    int rest = DATAGRAM - head.length + 1;
    head[16] = (byte) (0x40 | rest >>> 8);
    head[17] = (byte) rest;
    byte[] clear = new byte[DATAGRAM - head.length - TAG];
    clear[0] = 6; // CRYPTO frame, offset 0
    clear[2] = (byte) (0x40 | greeting.length >>> 8);
    clear[3] = (byte) greeting.length;
    System.arraycopy(greeting, 0, clear, 4, greeting.length);
    Cipher seal = Cipher.getInstance("AES/GCM/NoPadding");
    seal.init(
        Cipher.ENCRYPT_MODE,
        new SecretKeySpec(expand(secret, "quic key", 16), "AES"),
        new GCMParameterSpec(8 * TAG, expand(secret, "quic iv", 12)));
    seal.updateAAD(head);
    byte[] sealed = seal.doFinal(clear);
    byte[] datagram = Arrays.copyOf(head, DATAGRAM);
    System.arraycopy(sealed, 0, datagram, head.length, sealed.length);
    Cipher mask = Cipher.getInstance("AES/ECB/NoPadding");
    mask.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(expand(secret, "quic hp", 16), "AES"));
    byte[] over = mask.doFinal(datagram, head.length - 1 + 4, 16);
    datagram[0] ^= (byte) (over[0] & 0x0F);
    datagram[head.length - 1] ^= over[1];
    return datagram;
  }

  private static byte[] hmac(byte[] key, byte[] bytes) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(bytes);
  }

  private static byte[] expand(byte[] secret, String label, int length)
      throws GeneralSecurityException {
    byte[] name = ("tls13 " + label).getBytes(StandardCharsets.US_ASCII);
    byte[] info = new byte[3 + name.length + 2];
    info[1] = (byte) length;
    info[2] = (byte) name.length;
    System.arraycopy(name, 0, info, 3, name.length);
    info[info.length - 1] = 1;
    return Arrays.copyOf(hmac(secret, info), length);
  }
}
