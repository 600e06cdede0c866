package io.millrace.analytics.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Compares results for third-party captures with those of nDPI. */
class AppAgreementTest {
  /** Protocols and names that must agree nearly always. */
  private static final Set<String> MAIN =
      Set.of(
          "DNS",
          "HTTP",
          "TLS",
          "QUIC",
          "SSH",
          "SMTP",
          "SMTPS",
          "IMAP",
          "IMAPS",
          "POP3",
          "POPS",
          "SIP",
          "RTP",
          "STUN",
          "BitTorrent",
          "NTP",
          "DHCP",
          "MQTT",
          "WireGuard",
          "OpenVPN");

  private static final Set<String> MAIN_APPS =
      Set.of("WeChat", "Sina(Weibo)", "QQ", "YouTube", "NetFlix", "WhatsApp", "BitTorrent");

  @Test
  void agreesWithNdpi() throws IOException {
    Path folder = SharedCaptures.folder("apps");
    assumeThat(folder).as("captures with nDPI's results").isDirectory();
    List<AppAgreement.FlowPair> all = AppAgreement.of(folder);
    assertThat(all).hasSizeGreaterThan(1_000);
    Predicate<AppAgreement.FlowPair> isMain =
        one -> MAIN.contains(one.ndpiProtocol()) || MAIN_APPS.contains(one.ndpiApp());
    List<AppAgreement.FlowPair> main = all.stream().filter(isMain).toList();
    System.out.printf(
        "agreement: all %.3f, by capture %.3f; main protocols %.3f, by capture %.3f%n",
        AppAgreement.share(all),
        AppAgreement.mean(all),
        AppAgreement.share(main),
        AppAgreement.mean(main));
    assertThat(AppAgreement.share(all)).as("of all flows").isGreaterThan(0.9);
    assertThat(AppAgreement.mean(all)).as("mean of captures").isGreaterThan(0.9);
    assertThat(AppAgreement.share(main)).as("of flows of the main protocols").isGreaterThan(0.9);
    assertThat(AppAgreement.mean(main)).as("mean of their captures").isGreaterThan(0.9);
  }
}
