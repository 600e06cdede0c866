package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.api.HttpConfig;
import io.millrace.server.metrics.Latencies;
import io.millrace.store.StoreConfig;
import io.millrace.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Access with tokens and TLS. */
class FlightAccessIT {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path directory;

  private FlightInstance start(HttpConfig http) throws IOException, InterruptedException {
    return FlightInstance.start(
        directory.resolve("store"),
        FlightConfig.DEFAULTS.withPort(0),
        http,
        FlightInstance.limits(Duration.ofMinutes(1), 1_000));
  }

  private static long ask(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        ResultSet rows = connection.createStatement().executeQuery("SELECT count(*) FROM flows")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Test
  void theTokenIsShownAsBearerOrAsPassword() throws Exception {
    try (FlightInstance instance = start(FlightInstance.withToken(TOKEN))) {
      for (String shown : new String[] {"&token=" + TOKEN, "&user=any&password=" + TOKEN}) {
        assertThat(ask(instance.jdbcUrl(shown))).isEqualTo(FlightInstance.FLOWS);
      }
    }
  }

  @Test
  void clientsWithAWrongOrNoTokenLearnNothing() throws Exception {
    try (FlightInstance instance = start(FlightInstance.withToken(TOKEN))) {
      for (String shown :
          new String[] {"", "&token=" + TOKEN + "0", "&user=" + TOKEN + "&password=wrong"}) {
        assertThatThrownBy(() -> ask(instance.jdbcUrl(shown)))
            .isInstanceOf(SQLException.class)
            .hasStackTraceContaining("missing or wrong token");
      }
    }
  }

  @Test
  void withoutATokenAnyPasswordIsAccepted() throws Exception {
    try (FlightInstance instance = start(FlightInstance.onLoopback())) {
      for (String shown : new String[] {"", "&token=whatever", "&user=any&password=whatever"}) {
        assertThat(ask(instance.jdbcUrl(shown))).isEqualTo(FlightInstance.FLOWS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void speaksTlsWithTheCertificateOfHttp(String algorithm) throws Exception {
    TestCertificate identity = TestCertificate.make(directory, algorithm);
    Path certificate = identity.certificate();
    try (FlightInstance instance =
        start(FlightInstance.withToken(TOKEN).withTls(certificate, identity.key()))) {
      assertThat(instance.listener().problem()).isEmpty();
      assertThat(instance.listener().url())
          .hasValue("grpc+tls://127.0.0.1:" + instance.listener().port());
      String url =
          "jdbc:arrow-flight-sql://localhost:" + instance.listener().port() + "/?token=" + TOKEN;
      assertThat(ask(url + "&useSystemTrustStore=false&tlsRootCerts=" + certificate))
          .isEqualTo(FlightInstance.FLOWS);
      assertThatThrownBy(() -> ask(url)).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> ask(instance.jdbcUrl("&token=" + TOKEN)))
          .isInstanceOf(SQLException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  void anAddressOtherThanLoopbackRequiresAToken(String address) {
    FlightConfig open = new FlightConfig(true, address, 0, 1, 16 << 20);
    assertThatThrownBy(() -> open.check(FlightInstance.onLoopback()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("flight.address: " + address)
        .hasMessageContaining("http.token-file");
    open.check(FlightInstance.withToken(TOKEN));
    open.withoutListening().check(FlightInstance.onLoopback());
  }

  @Test
  void aPortInUseIsReported() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FlightListener listener =
          new FlightListener(
              FlightConfig.DEFAULTS.withPort(taken.getLocalPort()),
              FlightInstance.onLoopback(),
              null,
              StoreConfig.defaults(),
              new Latencies());
      listener.start();
      listener.awaitStart();
      assertThat(listener.url()).isEmpty();
      assertThat(listener.problem())
          .hasValueSatisfying(
              problem ->
                  assertThat(problem)
                      .contains("127.0.0.1:" + taken.getLocalPort(), "flight.port", "in use"));
      listener.close();
    }
  }

  @Test
  void rejectsSettingsOutOfRange() {
    assertThatThrownBy(() -> FlightConfig.DEFAULTS.withPort(70_000))
        .hasMessageContaining("flight.port: 70000");
    assertThatThrownBy(() -> FlightConfig.DEFAULTS.withMaxQueries(0))
        .hasMessageContaining("flight.max-queries: 0");
    assertThatThrownBy(() -> new FlightConfig(true, "127.0.0.1", 0, 1, 1))
        .hasMessageContaining("flight.memory: 1");
  }
}
