import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import redis.clients.jedis.Jedis;

/**
 * The advertisement benchmark as a typical job of Flink's DataStream API: an object per record,
 * decoded with Jackson. As in the product, it has object reuse, event time by partition, and a
 * checkpoint every 5 s.
 *
 * <p>Arguments: KAFKA TOPIC REDIS_HOST REDIS_PORT SUBTASKS WINDOW_MILLIS WATERMARK_DELAY_MILLIS
 */
public final class FlinkAds {
  public static void main(String[] args) throws Exception {
    String redisHost = args[2];
    int redisPort = Integer.parseInt(args[3]);
    StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment();
    job.setParallelism(Integer.parseInt(args[4]));
    job.getConfig().enableObjectReuse();
    job.getConfig().setAutoWatermarkInterval(10);
    job.setBufferTimeout(5);
    job.enableCheckpointing(5_000);

    KafkaSource<Event> topic =
        KafkaSource.<Event>builder()
            .setBootstrapServers(args[0])
            .setTopics(args[1])
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setProperty("max.poll.records", "5000")
            .setValueOnlyDeserializer(new Parse())
            .build();
    WatermarkStrategy<Event> eventTime =
        WatermarkStrategy.<Event>forBoundedOutOfOrderness(
                Duration.ofMillis(Long.parseLong(args[6])))
            .withTimestampAssigner((event, none) -> event.time);
    job.fromSource(topic, eventTime, "events")
        .filter(event -> event.kind.equals("view"))
        .map(event -> Tuple2.of(event.ad, event.time))
        .returns(Types.TUPLE(Types.STRING, Types.LONG))
        .flatMap(new Join(redisHost, redisPort))
        .keyBy(view -> view.f0)
        .window(TumblingEventTimeWindows.of(Duration.ofMillis(Long.parseLong(args[5]))))
        .allowedLateness(Duration.ofMinutes(2))
        .aggregate(new Count(), new Result())
        .map(new Write(redisHost, redisPort))
        .sinkTo(new DiscardingSink<>());
    job.execute("ads");
  }

  /** The used fields of an event. */
  public static final class Event {
    public String ad;
    public String kind;
    public long time;
  }

  static final class Parse extends AbstractDeserializationSchema<Event> {
    private transient ObjectMapper json;

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
      json = new ObjectMapper();
    }

    @Override
    public Event deserialize(byte[] text) throws IOException {
      JsonNode tree = json.readTree(text);
      Event event = new Event();
      event.ad = tree.get("ad_id").asText();
      event.kind = tree.get("event_type").asText();
      event.time = tree.get("event_time").asLong();
      return event;
    }
  }

  static final class Join
      extends RichFlatMapFunction<Tuple2<String, Long>, Tuple2<String, Long>> {
    private final String host;
    private final int port;
    private transient Jedis redis;
    private transient Map<String, String> campaigns;

    Join(String host, int port) {
      this.host = host;
      this.port = port;
    }

    @Override
    public void open(OpenContext context) {
      redis = new Jedis(host, port);
      campaigns = new HashMap<>();
    }

    @Override
    public void flatMap(Tuple2<String, Long> view, Collector<Tuple2<String, Long>> out) {
      String campaign = campaigns.computeIfAbsent(view.f0, redis::get);
      if (campaign != null) {
        out.collect(Tuple2.of(campaign, view.f1));
      }
    }
  }

  static final class Count implements AggregateFunction<Tuple2<String, Long>, Long, Long> {
    @Override
    public Long createAccumulator() {
      return 0L;
    }

    @Override
    public Long add(Tuple2<String, Long> view, Long count) {
      return count + 1;
    }

    @Override
    public Long getResult(Long count) {
      return count;
    }

    @Override
    public Long merge(Long one, Long other) {
      return one + other;
    }
  }

  static final class Result
      extends ProcessWindowFunction<Long, Tuple3<String, Long, Long>, String, TimeWindow> {
    @Override
    public void process(
        String campaign,
        Context context,
        Iterable<Long> counts,
        Collector<Tuple3<String, Long, Long>> out) {
      out.collect(Tuple3.of(campaign, context.window().getStart(), counts.iterator().next()));
    }
  }

  /** Writes absolute counts, so that a window that is emitted again is not counted twice. */
  static final class Write extends RichMapFunction<Tuple3<String, Long, Long>, String> {
    private final String host;
    private final int port;
    private transient Jedis redis;

    Write(String host, int port) {
      this.host = host;
      this.port = port;
    }

    @Override
    public void open(OpenContext context) {
      redis = new Jedis(host, port);
    }

    @Override
    public String map(Tuple3<String, Long, Long> count) {
      String start = Long.toString(count.f1);
      String id = redis.hget(count.f0, start);
      if (id == null) {
        id = UUID.randomUUID().toString();
        redis.hset(count.f0, start, id);
        String list = redis.hget(count.f0, "windows");
        if (list == null) {
          list = UUID.randomUUID().toString();
          redis.hset(count.f0, "windows", list);
        }
        redis.lpush(list, start);
      }
      redis.hset(id, "seen_count", Long.toString(count.f2));
      redis.hset(id, "time_updated", Long.toString(System.currentTimeMillis()));
      return id;
    }
  }
}
