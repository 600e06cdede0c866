import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.storm.Config;
import org.apache.storm.LocalCluster;
import org.apache.storm.kafka.spout.FirstPollOffsetStrategy;
import org.apache.storm.kafka.spout.KafkaSpout;
import org.apache.storm.kafka.spout.KafkaSpoutConfig;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.BasicOutputCollector;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.topology.base.BaseBasicBolt;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;
import redis.clients.jedis.Jedis;

/**
 * The advertisement benchmark as a topology for Apache Storm, with a bolt for each step of the
 * benchmark. It runs without acknowledgement, which is faster but loses tuples after failures, and
 * with batches of tuples between executors; both are Storm's best settings here.
 *
 * <p>Arguments: KAFKA TOPIC REDIS_HOST REDIS_PORT SUBTASKS WINDOW_MILLIS WATERMARK_DELAY_MILLIS.
 * The last one is not used: windows accept late views forever and are written every second.
 */
public final class StormAds {
  private static String redisHost;
  private static int redisPort;
  private static long windowMillis;

  public static void main(String[] args) throws Exception {
    redisHost = args[2];
    redisPort = Integer.parseInt(args[3]);
    int subtasks = Integer.parseInt(args[4]);
    windowMillis = Long.parseLong(args[5]);

    KafkaSpoutConfig<String, String> events =
        KafkaSpoutConfig.builder(args[0], args[1])
            .setProp(ConsumerConfig.GROUP_ID_CONFIG, "storm-" + UUID.randomUUID())
            .setProp(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000)
            .setFirstPollOffsetStrategy(FirstPollOffsetStrategy.EARLIEST)
            .setProcessingGuarantee(KafkaSpoutConfig.ProcessingGuarantee.NO_GUARANTEE)
            .setRecordTranslator(record -> new Values(record.value()), new Fields("text"))
            .build();
    TopologyBuilder topology = new TopologyBuilder();
    topology.setSpout("events", new KafkaSpout<>(events), subtasks);
    topology.setBolt("parse", new Parse(), subtasks).localOrShuffleGrouping("events");
    topology.setBolt("views", new Views(), subtasks).localOrShuffleGrouping("parse");
    topology.setBolt("project", new Project(), subtasks).localOrShuffleGrouping("views");
    topology.setBolt("join", new Join(), subtasks).localOrShuffleGrouping("project");
    topology.setBolt("count", new Count(), subtasks).fieldsGrouping("join", new Fields("campaign"));

    Config config = new Config();
    config.setNumAckers(0);
    config.put(Config.TOPOLOGY_PRODUCER_BATCH_SIZE, 1_000);
    config.put(Config.TOPOLOGY_EXECUTOR_RECEIVE_BUFFER_SIZE, 32_768);
    try (LocalCluster cluster = new LocalCluster()) {
      cluster.submitTopology("ads", config, topology.createTopology());
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  static final class Parse extends BaseBasicBolt {
    private transient ObjectMapper json;

    @Override
    public void prepare(Map<String, Object> config, TopologyContext context) {
      json = new ObjectMapper();
    }

    @Override
    public void execute(Tuple tuple, BasicOutputCollector out) {
      try {
        JsonNode event = json.readTree(tuple.getString(0));
        out.emit(
            new Values(
                event.get("user_id").asText(),
                event.get("page_id").asText(),
                event.get("ad_id").asText(),
                event.get("ad_type").asText(),
                event.get("event_type").asText(),
                event.get("event_time").asText(),
                event.get("ip_address").asText()));
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {
      fields.declare(
          new Fields("user", "page", "ad", "ad_type", "event_type", "event_time", "address"));
    }
  }

  static final class Views extends BaseBasicBolt {
    @Override
    public void execute(Tuple tuple, BasicOutputCollector out) {
      if (tuple.getStringByField("event_type").equals("view")) {
        out.emit(tuple.getValues());
      }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {
      fields.declare(
          new Fields("user", "page", "ad", "ad_type", "event_type", "event_time", "address"));
    }
  }

  static final class Project extends BaseBasicBolt {
    @Override
    public void execute(Tuple tuple, BasicOutputCollector out) {
      out.emit(
          new Values(tuple.getStringByField("ad"), tuple.getStringByField("event_time")));
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {
      fields.declare(new Fields("ad", "event_time"));
    }
  }

  static final class Join extends BaseBasicBolt {
    private transient Jedis redis;
    private transient Map<String, String> campaigns;

    @Override
    public void prepare(Map<String, Object> config, TopologyContext context) {
      redis = new Jedis(redisHost, redisPort);
      campaigns = new HashMap<>();
    }

    @Override
    public void execute(Tuple tuple, BasicOutputCollector out) {
      String campaign = campaigns.computeIfAbsent(tuple.getString(0), redis::get);
      if (campaign != null) {
        out.emit(new Values(campaign, tuple.getString(1)));
      }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {
      fields.declare(new Fields("campaign", "event_time"));
    }
  }

  /** Counts views and adds new ones to Redis every second. */
  static final class Count extends BaseBasicBolt {
    private transient Jedis redis;
    private transient Map<String, Map<Long, Long>> views;

    @Override
    public Map<String, Object> getComponentConfiguration() {
      return Map.of(Config.TOPOLOGY_TICK_TUPLE_FREQ_SECS, 1);
    }

    @Override
    public void prepare(Map<String, Object> config, TopologyContext context) {
      redis = new Jedis(redisHost, redisPort);
      views = new HashMap<>();
    }

    @Override
    public void execute(Tuple tuple, BasicOutputCollector out) {
      if (org.apache.storm.utils.TupleUtils.isTick(tuple)) {
        views.forEach((campaign, windows) -> windows.forEach((w, n) -> write(campaign, w, n)));
        views.clear();
        return;
      }
      long window = Long.parseLong(tuple.getString(1)) / windowMillis * windowMillis;
      views
          .computeIfAbsent(tuple.getString(0), none -> new HashMap<>())
          .merge(window, 1L, Long::sum);
    }

    private void write(String campaign, long window, long more) {
      String start = Long.toString(window);
      String id = redis.hget(campaign, start);
      if (id == null) {
        id = UUID.randomUUID().toString();
        redis.hset(campaign, start, id);
        String list = redis.hget(campaign, "windows");
        if (list == null) {
          list = UUID.randomUUID().toString();
          redis.hset(campaign, "windows", list);
        }
        redis.lpush(list, start);
      }
      redis.hincrBy(id, "seen_count", more);
      redis.hset(id, "time_updated", Long.toString(System.currentTimeMillis()));
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {}
  }
}
