package io.millrace.pipelines.ads;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Campaigns, ads and windows in Redis, in the layout of the advertisement benchmark that Yahoo's
 * engineers published, so that its reader of results works:
 *
 * <pre>
 *   campaigns        set     of campaigns
 *   AD               string  its campaign
 *   CAMPAIGN         hash    WINDOW → WID for each of its windows, "windows" → LID
 *   LID              list    its windows, the newest first
 *   WID              hash    seen_count, time_updated
 *   time_updated     list    when windows were written, the newest first
 * </pre>
 *
 * <p>WINDOW is the window's start, and all times are milliseconds since the epoch, in decimal
 * digits. WID and LID are opaque ids. The benchmark's {@code time_updated} grows without bound;
 * here the newest {@value #MAX_UPDATES} are kept.
 *
 * <p>A connection with a timeout per response. Not thread-safe. Errors of Redis and timeouts throw
 * a {@link JedisException}.
 */
public final class AdRedis implements AutoCloseable {
  private static final String CAMPAIGNS = "campaigns";
  private static final String WINDOWS = "windows";
  private static final String SEEN = "seen_count";
  private static final String UPDATED = "time_updated";
  private static final int MAX_UPDATES = 100_000;
  private static final int TIMEOUT_MILLIS = 10_000;

  /**
   * Atomic. A count only increases, so duplicate and reordered writes have no effect. KEYS:
   * campaign. ARGV: window, views, now, id of a new window, id of a new list.
   */
  private static final String SET_COUNT =
      """
      local window = redis.call('HGET', KEYS[1], ARGV[1])
      if not window then
        window = ARGV[4]
        redis.call('HSET', KEYS[1], ARGV[1], window)
        local list = redis.call('HGET', KEYS[1], 'windows')
        if not list then
          list = ARGV[5]
          redis.call('HSET', KEYS[1], 'windows', list)
        end
        redis.call('LPUSH', list, ARGV[1])
      end
      local seen = tonumber(redis.call('HGET', window, 'seen_count') or '0')
      if tonumber(ARGV[2]) > seen then
        redis.call('HSET', window, 'seen_count', ARGV[2], 'time_updated', ARGV[3])
        redis.call('LPUSH', 'time_updated', ARGV[3])
        redis.call('LTRIM', 'time_updated', 0, %d)
      end
      """
          .formatted(MAX_UPDATES - 1);

  private static final String ALL_SEEN =
      """
      local seen = 0
      local newest = 0
      for _, campaign in ipairs(redis.call('SMEMBERS', 'campaigns')) do
        local list = redis.call('HGET', campaign, 'windows')
        if list then
          for _, start in ipairs(redis.call('LRANGE', list, 0, -1)) do
            local window = redis.call('HGET', campaign, start)
            local values = redis.call('HMGET', window, 'seen_count', 'time_updated')
            seen = seen + tonumber(values[1] or '0')
            newest = math.max(newest, tonumber(values[2] or '0'))
          end
        end
      end
      return {seen, newest}
      """;

  private final Jedis redis;

  /**
   * A window in Redis.
   *
   * @param start milliseconds since the epoch
   * @param seen views
   * @param updated time of the last update, milliseconds since the epoch
   */
  public record Window(String campaign, long start, long seen, long updated) {}

  /**
   * Number of views in Redis.
   *
   * @param updated time of the last write, milliseconds since the epoch; 0 for none
   */
  public record SeenViews(long views, long updated) {}

  /** Connects to {@code redis://[USER:PASSWORD@]HOST:PORT[/DATABASE]}; {@code rediss} for TLS. */
  public AdRedis(URI server) {
    redis = new Jedis(server, TIMEOUT_MILLIS);
    redis.ping();
  }

  /** Adds campaigns and their ads. */
  public void put(Map<String, ? extends Collection<String>> adsByCampaign) {
    try (Pipeline pipeline = redis.pipelined()) {
      adsByCampaign.forEach(
          (campaign, ads) -> {
            pipeline.sadd(CAMPAIGNS, campaign);
            ads.forEach(ad -> pipeline.set(ad, campaign));
          });
      send(pipeline);
    }
  }

  /** The campaigns of ads, in order; null for an ad without a campaign. */
  public List<String> campaignsOf(List<String> ads) {
    return redis.mget(ads.toArray(String[]::new));
  }

  final class Counts implements AutoCloseable {
    private final Pipeline pipeline = redis.pipelined();

    void add(String campaign, long start, long views) {
      String window = Long.toString(start);
      pipeline.eval(
          SET_COUNT,
          List.of(campaign),
          List.of(
              window,
              Long.toString(views),
              Long.toString(System.currentTimeMillis()),
              campaign + ':' + window,
              campaign + ':' + WINDOWS));
    }

    void send() {
      AdRedis.send(pipeline);
    }

    @Override
    public void close() {
      pipeline.close();
    }
  }

  Counts counts() {
    return new Counts();
  }

  private static void send(Pipeline pipeline) {
    for (Object reply : pipeline.syncAndReturnAll()) {
      if (reply instanceof JedisException rejected) {
        throw rejected;
      }
    }
  }

  /** Sums the views of all windows of all campaigns; blocks Redis meanwhile. */
  public SeenViews seen() {
    List<?> reply = (List<?>) redis.eval(ALL_SEEN);
    return new SeenViews((Long) reply.get(0), (Long) reply.get(1));
  }

  /** All windows of all campaigns, read in the same way as the benchmark's {@code get-stats}. */
  public List<Window> windows() {
    List<Window> windows = new ArrayList<>();
    for (String campaign : redis.smembers(CAMPAIGNS)) {
      String list = redis.hget(campaign, WINDOWS);
      if (list == null) {
        continue; // a campaign without views
      }
      for (String start : redis.lrange(list, 0, redis.llen(list))) {
        String id = redis.hget(campaign, start);
        List<String> values = redis.hmget(id, SEEN, UPDATED);
        if (values.contains(null)) {
          continue; // other writers create it in several steps and have not finished
        }
        windows.add(
            new Window(
                campaign,
                Long.parseLong(start),
                Long.parseLong(values.get(0)),
                Long.parseLong(values.get(1))));
      }
    }
    return windows;
  }

  @Override
  public void close() {
    redis.close();
  }
}
