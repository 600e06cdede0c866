package io.millrace.datasets.text;

import java.net.IDN;
import java.nio.charset.StandardCharsets;

/**
 * Maps DNS names to registrable domains, numbered in order of first appearance: {@code
 * dip0.t-ipconnect.de} and {@code www.t-ipconnect.de} have {@code t-ipconnect.de}.
 *
 * <p>A domain is in lower case and, as in the DNS, in ASCII: labels in other scripts become {@code
 * xn--…}. A trailing dot is ignored. Only the labels of the domain are validated, since reverse
 * names have arbitrary prefixes ({@code _dmarc}, {@code *}, spaces). The following have no domain:
 *
 * <ul>
 *   <li>a public suffix, or a name of one label ({@code co.uk}, {@code localhost})
 *   <li>an address, or anything whose last label begins with a digit (RFC 3696 section 2)
 *   <li>a domain with a label that is empty, longer than 63 bytes, begins or ends with a hyphen, or
 *       has other characters than letters, digits, hyphens and underscores
 * </ul>
 *
 * Holds the domains on the heap, their bytes and about 12 bytes each. Not thread-safe.
 */
public final class Domains {
  /** Ordinal of names without a domain. */
  public static final int NONE = -1;

  private static final int MAX_NAME = 1024;
  private static final int MAX_LABEL = 63;

  private final RegistrySuffixes suffixes = RegistrySuffixes.LIST;
  private final Texts texts = new Texts();
  private final byte[] lower = new byte[MAX_NAME];

  /** Ordinal of the domain of a UTF-8 name, or {@link #NONE}. */
  public int ordinal(byte[] name, int offset, int length) {
    if (length > MAX_NAME) {
      return NONE;
    }
    final byte[] lower = this.lower;
    int union = 0;
    for (int i = 0; i < length; i++) {
      byte b = name[offset + i];
      union |= b;
      lower[i] = b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
    }
    return ofLower(union < 0 ? toAscii(name, offset, length) : length);
  }

  /**
   * Writes the DNS form of a name into {@link #lower}; returns its length, 0 if the name has none.
   */
  private int toAscii(byte[] name, int offset, int length) {
    try {
      String text = new String(name, offset, length, StandardCharsets.UTF_8);
      byte[] ascii = IDN.toASCII(text).getBytes(StandardCharsets.US_ASCII);
      if (ascii.length > MAX_NAME) {
        return 0;
      }
      for (int i = 0; i < ascii.length; i++) {
        lower[i] = (byte) Character.toLowerCase(ascii[i]);
      }
      return ascii.length;
    } catch (IllegalArgumentException e) {
      return 0; // An invalid label has no DNS form.
    }
  }

  private int ofLower(int length) {
    int end = length > 0 && lower[length - 1] == '.' ? length - 1 : length;
    if (end == 0) {
      return NONE;
    }
    int start = suffixes.domainStart(lower, 0, end);
    return start >= 0 && isHostName(start, end) ? texts.ordinal(lower, start, end) : NONE;
  }

  private boolean isHostName(int start, int end) {
    int label = start;
    for (int i = start; i <= end; i++) {
      if (i < end && lower[i] != '.') {
        if (!isAllowed(lower[i])) {
          return false;
        }
        continue;
      }
      int length = i - label;
      if (length == 0 || length > MAX_LABEL || lower[label] == '-' || lower[i - 1] == '-') {
        return false;
      }
      if (i == end && isDigit(lower[label])) {
        return false;
      }
      label = i + 1;
    }
    return true;
  }

  private static boolean isAllowed(byte b) {
    return (b >= 'a' && b <= 'z') || isDigit(b) || b == '-' || b == '_';
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Distinct domains so far, by ordinal. */
  public Texts texts() {
    return texts;
  }
}
