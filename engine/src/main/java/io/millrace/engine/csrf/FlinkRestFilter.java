package io.millrace.engine.csrf;

import io.millrace.pulse.LocalHost;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInitializer;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderValues;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaders;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;

/**
 * Access control of Flink's REST interface, which has none itself: requests that pages of other
 * sites cause are rejected, and a {@linkplain #READ_ONLY read-only} interface accepts no changes.
 * Flink finds this class through {@code META-INF/services}, in each process with Millrace's jar on
 * its class path.
 */
public final class FlinkRestFilter implements InboundChannelHandlerFactory {
  /**
   * Whether the interface is read-only. Flink's own options disable the actions of its web pages
   * only, not those of its clients.
   */
  public static final ConfigOption<Boolean> READ_ONLY =
      ConfigOptions.key("millrace.rest.read-only").booleanType().defaultValue(false);

  /** Host names and addresses of proxies that forward requests to the interface. */
  public static final ConfigOption<List<String>> HOSTS =
      ConfigOptions.key("millrace.rest.hosts").stringType().asList().defaultValues();

  private static final String MACHINE = LocalHost.name();
  private static final int HTTP_PORT = 80;

  /** {@code HOST[:PORT]}; an IPv6 address is in brackets. */
  private static final Pattern AUTHORITY =
      Pattern.compile("(?<host>\\[[^]]*]|[^:]*)(:(?<port>\\d{1,5}))?");

  @Override
  public int priority() {
    return 0;
  }

  @Override
  public Optional<ChannelHandler> createHandler(
      Configuration configuration, Map<String, String> responseHeaders) {
    List<String> own = new ArrayList<>();
    configuration.getOptional(RestOptions.ADDRESS).ifPresent(own::add);
    configuration.getOptional(RestOptions.BIND_ADDRESS).ifPresent(own::add);
    configuration.getOptional(JobManagerOptions.ADDRESS).ifPresent(own::add);
    own.add(MACHINE);
    ServerNames names = new ServerNames(own, configuration.get(HOSTS));
    boolean isReadOnly = configuration.get(READ_ONLY);
    return Optional.of(
        new ChannelInitializer<Channel>() {
          // Flink adds its extension handlers after the one that writes uploads to disk, which is
          // too late.
          @Override
          protected void initChannel(Channel channel) {
            var pipeline = channel.pipeline();
            pipeline.addAfter(
                pipeline.context(HttpServerCodec.class).name(),
                null,
                new RequestFilter(names, isReadOnly));
          }
        });
  }

  private static final class RequestFilter extends ChannelInboundHandlerAdapter {
    private final ServerNames names;
    private final boolean isReadOnly;
    private boolean isRejected;

    RequestFilter(ServerNames names, boolean isReadOnly) {
      this.names = names;
      this.isReadOnly = isReadOnly;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (!isRejected && message instanceof HttpRequest request) {
        Optional<FullHttpResponse> rejection = rejection(context.channel(), request);
        isRejected = rejection.isPresent();
        if (isRejected) {
          var unused =
              context.writeAndFlush(rejection.get()).addListener(ChannelFutureListener.CLOSE);
        }
      }
      if (isRejected) {
        ReferenceCountUtil.release(message);
      } else {
        context.fireChannelRead(message);
      }
    }

    private Optional<FullHttpResponse> rejection(Channel channel, HttpRequest request) {
      if (isReadOnly && !isRead(request)) {
        return response(HttpResponseStatus.FORBIDDEN, "this Flink is read-only");
      }
      HttpHeaders headers = request.headers();
      String authority = headers.get(HttpHeaderNames.HOST);
      if (authority == null) {
        return Optional.empty(); // not a browser
      }
      Matcher parts = AUTHORITY.matcher(authority);
      if (!parts.matches() || !names.isKnown(parts.group("host"), channel.localAddress())) {
        return response(
            HttpResponseStatus.MISDIRECTED_REQUEST,
            "unknown host name; if it is a name of this server, add it to " + HOSTS.key());
      }
      String port = parts.group("port");
      boolean isCrossSite =
          names.isCrossSite(
              headers.getAll(HttpHeaderNames.ORIGIN),
              ServerNames.isPageNavigation(
                      request.method().name(), request.uri(), headers.get("Sec-Fetch-Mode"))
                  ? null
                  : headers.get("Sec-Fetch-Site"),
              parts.group("host"),
              port == null ? HTTP_PORT : Integer.parseInt(port));
      return isCrossSite
          ? response(HttpResponseStatus.FORBIDDEN, "cross-site requests are not allowed")
          : Optional.empty();
    }

    /** Jobs can be cancelled by a GET too, for YARN's proxy, which forwards nothing else. */
    private static boolean isRead(HttpRequest request) {
      return request.method().equals(HttpMethod.GET) && !request.uri().contains("/yarn-");
    }

    private static Optional<FullHttpResponse> response(HttpResponseStatus status, String why) {
      byte[] body = ("{\"errors\":[\"" + why + "\"]}").getBytes(StandardCharsets.UTF_8);
      FullHttpResponse response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
          .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
          .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      return Optional.of(response);
    }
  }
}
