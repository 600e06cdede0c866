package io.millrace.datasets.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DomainsTest {
  @ParameterizedTest
  @CsvSource({
    "p54a1b2c3.dip0.t-ipconnect.de, t-ipconnect.de",
    "a.b.example.co.uk, example.co.uk",
    "example.com, example.com",
    "WWW.Example.COM., example.com",
    "_dmarc.example.com, example.com",
    "_dmarc.my_net.example, my_net.example",
    "*.example.com, example.com",
    "a  b..example.com, example.com",
    "192.0.2.1.example.com, example.com",
    "1e100.net, 1e100.net",
    "a.city.kawasaki.jp, city.kawasaki.jp",
    "b.a.x.kawasaki.jp, a.x.kawasaki.jp",
    "kawasaki.jp, kawasaki.jp",
    "a.os.hedmark.no, a.os.hedmark.no",
    "a.hedmark.no, hedmark.no",
    "www.ck, www.ck",
    "a.b.c.ck, b.c.ck",
    "router.site1.lan, site1.lan",
    "4.3.2.1.in-addr.arpa, 1.in-addr.arpa"
  })
  void isTheLabelUnderTheLongestSuffix(String name, String domain) {
    assertThat(domain(name)).isEqualTo(domain);
  }

  @ParameterizedTest
  @CsvSource({
    "foo.github.io, github.io",
    "ec2-192-0-2-1.eu-central-1.compute.amazonaws.com, amazonaws.com",
    "192-0-2-1.ip.linodeusercontent.com, linodeusercontent.com"
  })
  void customersOfACompanyAreNoDomainsOfTheirOwn(String name, String domain) {
    assertThat(domain(name)).isEqualTo(domain);
  }

  @ParameterizedTest
  @CsvSource({
    "www.b\u00fccher.example, xn--bcher-kva.example",
    "WWW.B\u00dcCHER.example, xn--bcher-kva.example",
    "a.b.\u516c\u53f8.cn, b.xn--55qx5d.cn",
    "a.b.xn--55qx5d.cn, b.xn--55qx5d.cn",
    "a.XN--BCHER-KVA.example, xn--bcher-kva.example"
  })
  void isInTheFormOfTheDns(String name, String domain) {
    assertThat(domain(name)).isEqualTo(domain);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "com",
        "com.",
        ".com",
        "co.uk",
        "x.kawasaki.jp",
        "x.ck",
        "localhost",
        "example.com..",
        "a..com",
        "192.0.2.1",
        "host.1",
        "a.0x7f",
        "2001:db8::1",
        "bad host.example x",
        "-a.com",
        "a-.com",
        "a.b\u0000.com",
        "\ufffd\ud800.com"
      })
  void namesWithoutADomain(String name) {
    assertThat(domain(name)).isNull();
  }

  @Test
  void aLabelHasAtMost63BytesAndANameAnyLength() {
    assertThat(domain("a".repeat(63) + ".com")).hasSize(67);
    assertThat(domain("a".repeat(64) + ".com")).isNull();
    assertThat(domain("a.".repeat(500) + "com")).isEqualTo("a.com");
    assertThat(domain("a.".repeat(5000) + "com")).isNull();
    assertThat(domain("\u00fc.".repeat(100) + "com")).isEqualTo("xn--tda.com");
    assertThat(domain("\u00fc".repeat(300) + ".com")).isNull();
  }

  @Test
  void equalDomainsHaveOneOrdinal() {
    Domains domains = new Domains();
    assertThat(ordinal(domains, "a.one.example")).isZero();
    assertThat(ordinal(domains, "b.two.example")).isEqualTo(1);
    assertThat(ordinal(domains, "example")).isEqualTo(Domains.NONE);
    assertThat(ordinal(domains, "c.ONE.example.")).isZero();
    assertThat(domains.texts().size()).isEqualTo(2);
  }

  private static int ordinal(Domains domains, String name) {
    byte[] bytes = ("<" + name + ">").getBytes(StandardCharsets.UTF_8);
    return domains.ordinal(bytes, 1, bytes.length - 2);
  }

  private static String domain(String name) {
    Domains domains = new Domains();
    int ordinal = ordinal(domains, name);
    if (ordinal < 0) {
      return null;
    }
    Texts texts = domains.texts();
    return new String(
        texts.bytes(), texts.start(ordinal), texts.length(ordinal), StandardCharsets.UTF_8);
  }
}
