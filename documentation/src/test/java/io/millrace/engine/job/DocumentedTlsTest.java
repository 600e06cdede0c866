package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.net.SSLUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the page on deployment says about certificates for Flink on several hosts, done as it stands
 * there: its command makes the key store, and with its settings only who has that is talked to.
 */
class DocumentedTlsTest {
  private static final Path PAGE = Path.of("..", "docs", "deploy.md");
  private static final String DIRECTORY = "/etc/millrace/flink";
  private static final String PASSWORD = "secret-of-the-cluster";
  private static final int PATIENCE_MILLIS = 60_000;
  private static final byte[] WORD = "word".getBytes(StandardCharsets.US_ASCII);

  @TempDir Path dir;
  private Configuration config;

  @BeforeEach
  void followThePage() throws Exception {
    String page = Files.readString(PAGE);
    int start = page.indexOf("    HOSTS=");
    String command =
        page.substring(start, page.indexOf("\n\n", start))
            .replace(DIRECTORY, "" + dir)
            .replace("flink3.example", "localhost");
    String path = Path.of(ChildProcess.jdk("keytool")).getParent() + ":" + System.getenv("PATH");
    ChildProcess.check("env", "PASSWORD=" + PASSWORD, "PATH=" + path, "bash", "-ec", command);
    Files.writeString(
        dir.resolve("config.yaml"),
        page.lines()
            .filter(line -> line.startsWith("    security.ssl."))
            .map(line -> line.strip().replace(DIRECTORY, "" + dir).replace("…", PASSWORD))
            .collect(Collectors.joining("\n", "", "\n")));
    config = GlobalConfiguration.loadConfiguration(dir.toString());
  }

  /** What arrives of a word that a client sends. */
  private byte[] heard(SocketFactory clients) throws Exception {
    try (ServerSocket server =
        SSLUtils.createSSLServerSocketFactory(config)
            .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(PATIENCE_MILLIS);
      FutureTask<byte[]> read = new FutureTask<>(() -> read(server));
      new Thread(read).start();
      try (Socket client =
          clients.createSocket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
        client.setSoTimeout(PATIENCE_MILLIS);
        if (client instanceof SSLSocket secured) { // as TaskManagers connect to each other
          SSLParameters parameters = secured.getSSLParameters();
          parameters.setEndpointIdentificationAlgorithm("HTTPS");
          secured.setSSLParameters(parameters);
        }
        OutputStream out = client.getOutputStream();
        out.write(WORD);
        out.flush();
        client.shutdownOutput(); // a word is less than TLS waits for
        return read.get();
      }
    }
  }

  private static byte[] read(ServerSocket server) throws IOException {
    try (Socket accepted = server.accept()) {
      accepted.setSoTimeout(PATIENCE_MILLIS);
      return accepted.getInputStream().readNBytes(WORD.length);
    }
  }

  @Test
  void whoHasTheKeyStoreIsTalkedTo() throws Exception {
    assertThat(heard(SSLUtils.createSSLClientSocketFactory(config))).isEqualTo(WORD);
  }

  @Test
  void whoHasItNotIsNot() throws Exception {
    SSLContext stranger = SSLContext.getInstance("TLS");
    stranger.init(null, new TrustManager[] {new Credulous()}, null);
    assertThatThrownBy(() -> heard(stranger.getSocketFactory())).isInstanceOf(Exception.class);
    assertThatThrownBy(() -> heard(SocketFactory.getDefault())).isInstanceOf(Exception.class);
  }

  /** Takes every server for the right one. */
  private static final class Credulous implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
