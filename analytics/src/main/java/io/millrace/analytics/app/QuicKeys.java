package io.millrace.analytics.app;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys of a client's QUIC Initial packets, derived from the version's salt and the Destination
 * Connection ID (RFC 9001 section 5.2, RFC 9369 section 3.3). An observer can derive them too, so
 * they give no confidentiality.
 */
final class QuicKeys {
  private static final String HASH = "HmacSHA256";
  private static final int TAG_BITS = 128;
  private static final int V2 = 0x6B3343CF;
  private static final byte[] SALT_V1 = hex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a");
  private static final byte[] SALT_V2 = hex("0dede3def700a6db819381be6e269dcbf9bd2ed9");
  private static final byte[] SALT_29 = hex("afbfec289993d24c9e9786f19c6111e04390a899");
  private static final byte[] SALT_23 = hex("c3eef712c72ebb5a11a7d2432bb46365bef9f502");
  private static final byte[] SALT_21 = hex("7fbcdb0e7c66bbe9193a96cd21519ebd7a02644a");
  private static final byte[] SALT_Q050 = hex("504574efd066fe2f9d945cfcdbd3a7f0d3b56b45");
  private static final byte[] SALT_T050 = hex("7ff579e5acd072915580304c43a2367c60488310");
  private static final byte[] SALT_T051 = hex("7a4edef4e7ccee5fa4506c19124fc8ccda6e033d");

  private final SecretKeySpec key;
  private final byte[] iv;
  private final SecretKeySpec header;

  QuicKeys(int version, byte[] connection) throws GeneralSecurityException {
    byte[] initial = hmac(salt(version), connection);
    byte[] secret = expand(initial, "client in", 32);
    String prefix = version == V2 ? "quicv2 " : "quic ";
    key = new SecretKeySpec(expand(secret, prefix + "key", 16), "AES");
    iv = expand(secret, prefix + "iv", 12);
    header = new SecretKeySpec(expand(secret, prefix + "hp", 16), "AES");
  }

  static byte[] salt(int version) {
    return switch (version) {
      case 1 -> SALT_V1;
      case V2 -> SALT_V2;
      case 0x51303530 -> SALT_Q050;
      case 0x54303530 -> SALT_T050;
      case 0x54303531 -> SALT_T051;
      case 0xFACEB001 -> SALT_21;
      default -> version >>> 8 == 0xFF0000 ? ofDraft(version & 0xFF) : ofFacebook(version);
    };
  }

  private static byte[] ofDraft(int draft) {
    if (draft > 32) {
      return SALT_V1;
    }
    if (draft > 28) {
      return SALT_29;
    }
    if (draft > 22) {
      return SALT_23;
    }
    return draft == 22 ? SALT_21 : new byte[0];
  }

  private static byte[] ofFacebook(int version) {
    return version >>> 4 == 0xFACEB00 ? SALT_23 : new byte[0];
  }

  /** Five bytes of header protection, from 16 bytes of the packet (RFC 9001 section 5.4.3). */
  byte[] mask(byte[] bytes, int sample) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, header);
    return cipher.doFinal(bytes, sample, 16);
  }

  /** The decrypted payload. @throws GeneralSecurityException if it is not authentic */
  byte[] open(byte[] head, long number, byte[] bytes, int from, int end)
      throws GeneralSecurityException {
    byte[] nonce = iv.clone();
    for (int i = 0; i < Long.BYTES; i++) {
      nonce[nonce.length - 1 - i] ^= (byte) (number >>> (8 * i));
    }
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(head);
    return cipher.doFinal(bytes, from, end - from);
  }

  private static byte[] hmac(byte[] with, byte[] bytes) throws GeneralSecurityException {
    Mac mac = Mac.getInstance(HASH);
    mac.init(new SecretKeySpec(with, HASH));
    return mac.doFinal(bytes);
  }

  /** HKDF-Expand-Label of TLS 1.3 for at most 32 bytes (RFC 8446 section 7.1). */
  private static byte[] expand(byte[] secret, String label, int length)
      throws GeneralSecurityException {
    byte[] full = ("tls13 " + label).getBytes(StandardCharsets.US_ASCII);
    byte[] info = new byte[3 + full.length + 2];
    info[1] = (byte) length;
    info[2] = (byte) full.length;
    System.arraycopy(full, 0, info, 3, full.length);
    info[info.length - 1] = 1; // HKDF's counter, after an empty context
    return Arrays.copyOf(hmac(secret, info), length);
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }
}
