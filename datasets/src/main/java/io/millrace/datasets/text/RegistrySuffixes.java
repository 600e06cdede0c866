package io.millrace.datasets.text;

import com.google.common.collect.ImmutableMap;
import com.google.thirdparty.publicsuffix.PublicSuffixPatterns;
import com.google.thirdparty.publicsuffix.PublicSuffixType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The suffixes under which registries give out names ({@code com}, {@code co.uk}): the first
 * section of the public suffix list (publicsuffix.org/list), as Guava brings it, on bytes.
 *
 * <p>Only that section counts. The other one has what companies gave in, so that browsers keep the
 * cookies of their customers apart: by it each host of a cloud ({@code *.compute.amazonaws.com})
 * would be a domain of its own, where traffic is asked for by who runs it.
 *
 * <p>The list has three kinds of rules: a suffix; {@code *.ck}, all names right below are suffixes;
 * {@code !www.ck}, this one is not. The longest one that fits a name counts, and without any the
 * last label is the suffix. Guava's {@link com.google.common.net.InternetDomainName} answers the
 * same in 2 µs and objects for each label; from right to left, on bytes, only as far as there are
 * rules, a name takes two or three probes of a table. Immutable; safe for use by many threads.
 */
public final class RegistrySuffixes {
  /** The rules of the list that is on the class path. */
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
   * Where the registrable domain begins: the longest suffix and one label more.
   *
   * @param name labels with dots between them, in lower case, without a dot at the end
   * @return an index within {@code [start, end)}, or −1 if the name is a suffix itself
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

  /** Where the label begins that ends at {@code end}. */
  private static int labelStart(byte[] name, int start, int end) {
    int at = end;
    while (at > start && name[at - 1] != '.') {
      at--;
    }
    return at;
  }
}
