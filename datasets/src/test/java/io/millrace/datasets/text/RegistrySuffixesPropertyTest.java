package io.millrace.datasets.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InternetDomainName;
import com.google.thirdparty.publicsuffix.PublicSuffixPatterns;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Compares with Guava's class. */
class RegistrySuffixesPropertyTest {
  @Test
  void agreesWithGuavaAtAndAroundEveryRule() {
    for (String tail : tails()) {
      assertAgrees(tail);
      assertAgrees("a." + tail);
      assertAgrees("b.a." + tail);
    }
  }

  @Property(tries = 5000)
  void agreesWithGuavaOnAnyName(@ForAll("names") String name) {
    assertAgrees(name);
  }

  @Provide
  Arbitrary<String> names() {
    Arbitrary<String> label =
        Arbitraries.of("a", "www", "city", "com", "co", "uk", "no", "jp", "os", "x1", "kawasaki");
    return Combinators.combine(label.list().ofMaxSize(3), Arbitraries.of(tails()))
        .as((labels, tail) -> String.join("", labels.stream().map(l -> l + ".").toList()) + tail);
  }

  private static List<String> tails() {
    List<String> tails = new ArrayList<>(PublicSuffixPatterns.EXACT.keySet());
    tails.addAll(PublicSuffixPatterns.UNDER.keySet());
    tails.addAll(PublicSuffixPatterns.EXCLUDED.keySet());
    return tails;
  }

  private static void assertAgrees(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    int start = RegistrySuffixes.LIST.domainStart(bytes, 0, bytes.length);
    assertThat(
            start < 0
                ? null
                : new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8))
        .as(name)
        .isEqualTo(byGuava(InternetDomainName.from(name)));
  }

  /** Guava lacks the default rule: without a match, the last label is the suffix. */
  private static String byGuava(InternetDomainName name) {
    if (name.hasRegistrySuffix()) {
      return name.isUnderRegistrySuffix() ? name.topDomainUnderRegistrySuffix().toString() : null;
    }
    List<String> labels = name.parts();
    int n = labels.size();
    return n < 2 ? null : labels.get(n - 2) + "." + labels.get(n - 1);
  }
}
