package io.millrace.engine.csrf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.embedded.EmbeddedChannel;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.LastHttpContent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** REST filter of a cluster that is addressed by names other than loopback's. */
class FlinkRestFilterTest {
  private static EmbeddedChannel connection() {
    Configuration c = new Configuration();
    c.set(RestOptions.ADDRESS, "flink1");
    c.setString("millrace.rest.hosts", "flink2.example;*.lab.example");
    // Where Flink stores uploaded files.
    return new EmbeddedChannel(
        new HttpServerCodec(),
        new ChannelInboundHandlerAdapter(),
        new FlinkRestFilter().createHandler(c, Map.of()).orElseThrow());
  }

  private static void send(EmbeddedChannel connection, String bytes) {
    connection.writeInbound(
        Unpooled.copiedBuffer(bytes.replace("\n", "\r\n"), StandardCharsets.ISO_8859_1));
  }

  private static String answer(EmbeddedChannel connection) {
    StringBuilder answer = new StringBuilder();
    for (ByteBuf part; (part = connection.readOutbound()) != null; part.release()) {
      answer.append(part.toString(StandardCharsets.UTF_8));
    }
    return answer.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "flink1:8081, , ",
    "FLINK1, , ",
    "flink2.example:443, https://flink2.example, ",
    "a.lab.example, , ",
    "[::1]:8081, http://[::1]:8081, ",
    "flink1:8081, http://flink1:8081, ",
    "flink1:8081, http://flink1, 403",
    "flink1:8081, http://evil.example, 403",
    "flink1:8081, null, 403",
    "evil.example, http://evil.example, 421",
    "192.0.2.1:8081, , 421",
    "flink1:8081:1, , 421",
    "'', , 421"
  })
  void namesOfTheClusterAreServedAndNoOthers(String host, String origin, String rejection) {
    EmbeddedChannel connection = connection();
    send(
        connection,
        "POST /jobs HTTP/1.1\nContent-Length: 3\nHost: "
            + host
            + (origin == null ? "" : "\nOrigin: " + origin)
            + "\n\nabc");
    String answer = answer(connection);
    if (rejection == null) {
      assertThat(answer).isEmpty();
      assertThat(connection.inboundMessages()).last().isInstanceOf(LastHttpContent.class);
    } else {
      assertThat(answer).startsWith("HTTP/1.1 " + rejection + " ").contains("{\"errors\":[\"");
      assertThat(connection.inboundMessages()).isEmpty();
      assertThat(connection.isOpen()).isFalse();
    }
    connection.finishAndReleaseAll();
  }

  @Test
  void aClientThatNamesNoHostIsNoBrowser() {
    EmbeddedChannel connection = connection();
    send(connection, "GET /overview HTTP/1.0\n\n");
    assertThat(answer(connection)).isEmpty();
    assertThat(connection.inboundMessages()).isNotEmpty();
    connection.finishAndReleaseAll();
  }
}
