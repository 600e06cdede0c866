package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.ApiException;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.RowFormat;
import io.millrace.store.SqlLiteral;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "who",
    description = {
      "Find the inside address (subscriber) behind an outside address and port at a given time, "
          + "from NAT translations and port blocks in the table nat_events that were active then. "
          + "Translations of one port to different destinations are separate rows, newest first. "
          + "Exits with 1 if there is none."
    },
    footer = {
      "",
      "  millrace who 192.0.2.9:4711 --at 2026-01-01T12:03:00Z",
      "  millrace who [2001:db8::9]:4711 --protocol tcp --format json",
      "  millrace who 192.0.2.9:4711 --sql"
    })
final class WhoCommand implements Callable<Integer> {
  private static final Pattern ENDPOINT =
      Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]|([0-9.]+)):(\\d{1,5})");
  private static final int MAX_PORT = 0xFFFF;
  private static final int MAX_PROTOCOL = 0xFF;
  private static final Map<String, Integer> PROTOCOLS =
      Map.of("icmp", 1, "tcp", 6, "udp", 17, "icmpv6", 58, "sctp", 132);

  /**
   * Finds translations that were active. A translation is active until the next event of its key. A
   * port block ends earlier translations of its ports, and a release ends the translations of its
   * inside address. Of events at the same time, a release comes first.
   */
  private static final String SQL =
      """
      WITH events AS (
        SELECT *, event IN ('create', 'allocate', 'translation') AS holds,
          outside_port IS NULL OR outside_port_end > outside_port AS is_block
        FROM nat_events
        WHERE outside = %s AND event IN ('create', 'allocate', 'translation', 'delete', 'release')
          AND (outside_port IS NULL OR (%2$d BETWEEN outside_port AND outside_port_end
            AND (%2$d - outside_port) %% coalesce(port_step, 1) = 0))%3$s),
      held AS (
        SELECT *, least(
          min(time) FILTER (WHERE holds) OVER (
            PARTITION BY exporter, proto, dst_addr, dst_port ORDER BY time, holds
            ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
          min(time) FILTER (WHERE NOT holds) OVER (
            PARTITION BY exporter, proto, dst_addr, dst_port, inside ORDER BY time, holds
            ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
          min(time) FILTER (WHERE holds AND is_block) OVER (
            PARTITION BY exporter ORDER BY time, holds
            ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)) AS until
        FROM events)
      SELECT inside, inside_port, subscriber, time AS "from", until AS "to",
        outside_port, outside_port_end, proto, dst_addr, dst_port, vrf, exporter
      FROM held
      WHERE holds AND time <= %4$s AND (until IS NULL OR until > %4$s)
      QUALIFY row_number() OVER (PARTITION BY exporter, inside ORDER BY time DESC) = 1
      ORDER BY "from" DESC\
      """;

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(
      paramLabel = "ADDRESS:PORT",
      description = "Outside address and port; an IPv6 address in brackets.")
  private String endpoint;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      description = "Time, UTC or with a zone: 2026-01-31T12:00:00; now by default.")
  private String at;

  @Option(
      names = "--protocol",
      paramLabel = "PROTOCOL",
      description = "tcp, udp, icmp or a number, 0 to 255; events of all protocols by default.")
  private String protocol;

  @Option(names = "--sql", description = "Print the query and do not run it.")
  private boolean isSql;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Override
  public Integer call() throws IOException {
    Instant when =
        at == null ? Instant.now().truncatedTo(ChronoUnit.MICROS) : Instants.parse("--at", at);
    String sql = sql(endpoint, when, protocol());
    if (isSql) {
      spec.commandLine().getOut().println(sql);
      return 0;
    }
    JsonNode response;
    try {
      response = instance.client().post("/api/v1/sql", Map.of("sql", sql, "engine", "duckdb"));
    } catch (ApiException e) {
      spec.commandLine().getErr().println("millrace: " + e.inOneLine());
      return 1;
    }
    SqlCommand.print(response, format, spec.commandLine().getOut());
    if (response.path("rows").isEmpty()) {
      spec.commandLine()
          .getErr()
          .println("millrace: no NAT translation of " + endpoint + " was active at " + when);
      return 1;
    }
    return 0;
  }

  private OptionalInt protocol() {
    if (protocol == null) {
      return OptionalInt.empty();
    }
    Integer known = PROTOCOLS.get(protocol.toLowerCase(Locale.ROOT));
    if (known == null && protocol.matches("\\d{1,3}")) {
      known = Integer.valueOf(protocol);
    }
    if (known == null || known > MAX_PROTOCOL) {
      throw new UsageException(
          "--protocol "
              + protocol
              + ": unknown protocol, expected tcp, udp, icmp or a number up to 255");
    }
    return OptionalInt.of(known);
  }

  static String sql(String endpoint, Instant at, OptionalInt protocol) {
    Matcher parts = ENDPOINT.matcher(endpoint);
    if (!parts.matches() || Integer.parseInt(parts.group(3)) > MAX_PORT) {
      throw notAnEndpoint(endpoint);
    }
    String address = parts.group(1) == null ? parts.group(2) : parts.group(1);
    long[] halves = new long[2];
    if (!Addresses.parse(address, halves)) {
      throw notAnEndpoint(endpoint);
    }
    String ofProtocol =
        protocol.isPresent()
            ? "%n    AND (proto IS NULL OR proto = %d)".formatted(protocol.getAsInt())
            : "";
    return SQL.formatted(
        SqlLiteral.of(Addresses.toText(halves[0], halves[1])),
        Integer.parseInt(parts.group(3)),
        ofProtocol,
        SqlLiteral.of(LocalDateTime.ofInstant(at, ZoneOffset.UTC)));
  }

  private static UsageException notAnEndpoint(String endpoint) {
    return new UsageException(
        endpoint + ": expected an address and port, such as 192.0.2.9:4711 or [2001:db8::9]:4711");
  }
}
