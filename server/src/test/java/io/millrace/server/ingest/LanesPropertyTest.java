package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordBatch;
import io.millrace.wire.record.RecordEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Clients send frames, servers are killed between any two values, and clients resend unacknowledged
 * frames. At the end each record is logged once, in the order of its client.
 */
class LanesPropertyTest {
  private static final int PARTITIONS = 3;

  /** State of a client. */
  private static final class Client {
    final String id;
    long acknowledged;
    long sent;
    long ever; // the last frame that any life was sent

    Client(String id) {
      this.id = id;
    }
  }

  /** A server process, simulated on one thread: lanes without the sending thread. */
  private static final class Life {
    final KnownClients memory = new KnownClients(PARTITIONS, 100);
    final List<Lane> lanes = new ArrayList<>();
    final Map<String, ClientFrames> connected = new HashMap<>();

    Life(StallingLog log) {
      long[] end = log.end();
      for (int i = 0; i < PARTITIONS; i++) {
        log.read(i, 0, end[i], memory::restore);
        lanes.add(new Lane(i, 800, 1 << 20));
      }
    }

    /** Adds the records of a frame, which are of two gateways of the client. */
    void take(Client client, long frame) {
      ClientFrames frames =
          connected.computeIfAbsent(
              client.id,
              id -> {
                ClientFrames known = memory.client("", id);
                known.receive(client.acknowledged);
                return known;
              });
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 2; i++) {
        text.append(
            "{\"gateway_id\":\"%s-%d\",\"date\":%d,\"ipTx\":1,\"ipRx\":2,\"form\":\"rate\"}\n"
                .formatted(client.id, (frame + i) % 5, 1_700_000_000_000L + frame));
      }
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      DecodedRecords decoded = new DecodedRecords(GatewayRecords.SCHEMA);
      decoded.decode(RecordEncoding.JSON, bytes, 0, bytes.length, RecordAttributes.NONE, 1 << 20);
      int[] firsts = decoded.spread(PARTITIONS);
      for (int i = 0; i < decoded.spreadOver(); i++) {
        int partition = decoded.partition(firsts[i]);
        var unused =
            lanes.get(partition).add(decoded, firsts[i], null, frames, frame, 0, new long[1]);
      }
      frames.receive(frame);
    }

    /**
     * Writes the next value of a lane to the log, if there is one; {@code isHeard}: and
     * acknowledges it.
     */
    void write(int partition, StallingLog log, boolean isHeard) {
      LogValue value = lanes.get(partition).next();
      if (value != null) {
        long offset = log.end()[partition];
        log.keep(partition, value.bytes());
        if (isHeard) {
          var unused = lanes.get(partition).logged(value, offset);
        }
      }
    }
  }

  @Property(tries = 300)
  void eachRecordIsLoggedOnce(@ForAll long seed, @ForAll @IntRange(min = 1, max = 4) int n) {
    Random random = new Random(seed);
    StallingLog log = new StallingLog(PARTITIONS);
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      clients.add(new Client("c" + i));
    }
    for (int lives = 0; lives < 6; lives++) {
      Life life = new Life(log);
      clients.forEach(client -> client.sent = client.acknowledged); // sends again from there
      boolean isLast = lives == 5;
      for (int step = 0; step < 60; step++) {
        Client client = clients.get(random.nextInt(n));
        if (random.nextInt(3) > 0) {
          life.take(client, ++client.sent);
          client.ever = Math.max(client.ever, client.sent);
        } else {
          life.write(random.nextInt(PARTITIONS), log, true);
        }
        learn(life, client);
      }
      if (isLast) {
        for (Client client : clients) {
          while (client.sent < client.ever) {
            life.take(client, ++client.sent);
          }
        }
        for (int i = 0; i < PARTITIONS * 200; i++) {
          life.write(i % PARTITIONS, log, true);
        }
        clients.forEach(client -> learn(life, client));
      } else {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          if (random.nextBoolean()) {
            life.write(partition, log, false); // it dies before it hears of it
          }
        }
      }
    }
    for (Client client : clients) {
      assertThat(client.acknowledged).isEqualTo(client.sent);
    }
    assertOnce(log, clients);
  }

  private static void learn(Life life, Client client) {
    ClientFrames frames = life.connected.get(client.id);
    if (frames != null) {
      client.acknowledged = Math.max(client.acknowledged, frames.settled());
    }
  }

  private static void assertOnce(StallingLog log, List<Client> clients) {
    Map<String, Long> times = new HashMap<>();
    Map<String, Long> newest = new HashMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (byte[] value : log.values(partition)) {
        TableBlock block = RecordBatch.wrap(value, value.length).block().orElseThrow();
        for (int row = 0; row < block.rows(); row++) {
          String gateway = block.texts(GatewayRecords.ID).get(row);
          times.merge(gateway + "@" + block.longs(GatewayRecords.TIME)[row], 1L, Long::sum);
          assertThat(newest.getOrDefault(gateway, 0L))
              .isLessThan(block.longs(GatewayRecords.TIME)[row]);
          newest.put(gateway, block.longs(GatewayRecords.TIME)[row]);
        }
      }
    }
    assertThat(times.values()).allMatch(count -> count == 1);
    long expected = clients.stream().collect(Collectors.summingLong(client -> 2 * client.sent));
    assertThat(times.size()).isEqualTo((int) expected);
  }
}
