package io.millrace.analytics.app.subscriber;

import io.millrace.wire.packet.GtpControl;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Representation of a subscriber in state and tables.
 *
 * @param key of the hash that replaces the identity: the first 8 bytes of HMAC-SHA-256, as 16
 *     hexadecimal digits; empty for the identity itself
 */
public record SubscriberNames(String key) implements Serializable {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int HASH_BYTES = 8;
  private static final int MAX_DIGITS = 15;
  private static final long NUMBERS = 1_000_000_000_000_000L;

  /** Plain identities. */
  public static SubscriberNames plain() {
    return new SubscriberNames("");
  }

  /**
   * Telephone number, or the IMSI if there is none; null if the message has neither or they are too
   * long.
   */
  public String of(GtpControl message) {
    String identity = message.msisdn() != null ? message.msisdn() : message.imsi();
    if (identity == null || identity.length() > MAX_DIGITS) {
      return null;
    }
    return key.isEmpty() ? identity : hash(identity);
  }

  private String hash(String identity) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      byte[] hash = mac.doFinal(identity.getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(Arrays.copyOf(hash, HASH_BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("missing in the JDK: " + ALGORITHM, e);
    }
  }

  /**
   * The identity as a number of up to 15 digits, for records with numeric subscribers; derived from
   * the hash if the identity is one.
   */
  public static long number(String identity) {
    boolean isHash = identity.length() == 2 * HASH_BYTES;
    return isHash
        ? 1 + Long.remainderUnsigned(Long.parseUnsignedLong(identity, 16), NUMBERS - 1)
        : Long.parseLong(identity);
  }
}
