package io.millrace.datasets.text;

import com.google.common.collect.ImmutableMap;
import com.google.thirdparty.publicsuffix.PublicSuffixPatterns;
import com.google.thirdparty.publicsuffix.PublicSuffixType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Suffixes under which registries assign names ({@code com}, {@code co.uk}): the first section of
 * the public suffix list (publicsuffix.org/list), from Guava, as bytes.
 *
 * <p>The second section is ignored: it has suffixes registered by operators for the isolation of
 * cookies. With these, each host of a cloud ({@code *.compute.amazonaws.com}) would be a separate
 * domain, but traffic is analysed by operator.
 *
 * <p>The list has three kinds of rules: a suffix; {@code *.ck}, all names directly below are
 * suffixes; {@code !www.ck}, an exception. The longest matching rule applies; without one, the last
 * label is the suffix. Guava's {@link com.google.common.net.InternetDomainName} returns the same,
 * but takes 2 µs and objects for each label; here a name is read from right to left as bytes, with
 * two or three table probes. Immutable and thread-safe.
 */
public final class RegistrySuffixes {
  /** Rules of the list on the class path. */
  public static final RegistrySuffixes LIST = new RegistrySuffixes();

  private static final int SUFFIX = 1;
  private static final int WILD = 2;
  private static final int EXCEPTION = 4;
  private static final int PARENT = 8;

  private final Texts tails = new Texts();
  private byte[] rules = new byte[1 << 14];

  private RegistrySuffixes() {
    add(PublicSuffixPatterns.EXACT, SUFFIX);
    add(PublicSuffixPatterns.UNDER, WILD);
    add(PublicSuffixPatterns.EXCLUDED, EXCEPTION);
  }

  private void add(ImmutableMap<String, PublicSuffixType> patterns, int rule) {
    patterns.forEach(
        (tail, type) -> {
          if (type == PublicSuffixType.REGISTRY) {
            add(tail.getBytes(StandardCharsets.UTF_8), rule);
          }
        });
  }

  private void add(byte[] tail, int rule) {
    mark(tail, 0, rule);
    for (int i = 0; i < tail.length; i++) {
      if (tail[i] == '.') {
        mark(tail, i + 1, PARENT);
      }
    }
  }

  private void mark(byte[] tail, int start, int rule) {
    int i = tails.ordinal(tail, start, tail.length);
    if (i >= rules.length) {
      rules = Arrays.copyOf(rules, i * 2);
    }
    rules[i] |= (byte) rule;
  }

  /**
   * Start of the registrable domain: the longest suffix and one more label.
   *
   * @param name labels separated by dots, in lower case, without a trailing dot
   * @return an index within {@code [start, end)}, or −1 if the name is itself a suffix
   */
  public int domainStart(byte[] name, int start, int end) {
    int suffix = end;
    int last = end;
    int above = PARENT;
    while ((above & (PARENT | WILD)) != 0 && last != start) {
      int tail = labelStart(name, start, last == end ? end : last - 1);
      int found = tails.find(name, tail, end);
      int rule = found < 0 ? 0 : rules[found];
      if ((rule & EXCEPTION) != 0) {
        suffix = last;
      } else if (last == end || (rule & SUFFIX) != 0 || (above & WILD) != 0) {
        suffix = tail;
      }
      above = rule;
      last = tail;
    }
    return suffix == start ? -1 : labelStart(name, start, suffix - 1);
  }

  private static int labelStart(byte[] name, int start, int end) {
    int at = end;
    while (at > start && name[at - 1] != '.') {
      at--;
    }
    return at;
  }
}
