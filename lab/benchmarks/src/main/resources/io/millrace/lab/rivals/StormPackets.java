import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.storm.Config;
import org.apache.storm.LocalCluster;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.BasicOutputCollector;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.topology.base.BaseBasicBolt;
import org.apache.storm.topology.base.BaseRichSpout;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.Values;

/**
 * The packet counter as a topology for Apache Storm: a spout replays headers from memory, one tuple
 * per packet, and a bolt decodes each header and counts. Tuples hold a reference to the header,
 * since both run in one JVM. It runs without acknowledgement and with batches of tuples between
 * executors, which are Storm's best settings here.
 *
 * <p>Arguments: FILE SUBTASKS WARM_UP_SECONDS SECONDS. The file has blocks of packets, each
 * preceded by its length. Prints the number of packets, the sum of their lengths, and the elapsed
 * milliseconds.
 */
public final class StormPackets {
  /** Packets and bytes by subtask, each subtask in its own cache line. */
  private static final int STRIDE = 16;

  private static final AtomicLongArray COUNTED = new AtomicLongArray(64 * STRIDE);
  private static final List<PacketBlock> BLOCKS = new ArrayList<>();

  public static void main(String[] args) throws Exception {
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
    while (file.hasRemaining()) {
      byte[] block = new byte[file.getInt()];
      file.get(block);
      BLOCKS.add(PacketBlock.wrap(block).orElseThrow());
    }
    int subtasks = Integer.parseInt(args[1]);
    TopologyBuilder topology = new TopologyBuilder();
    topology.setSpout("headers", new Headers(), subtasks);
    topology.setBolt("count", new Count(), subtasks).localOrShuffleGrouping("headers");
    Config config = new Config();
    config.setNumAckers(0);
    config.put(Config.TOPOLOGY_PRODUCER_BATCH_SIZE, 1_000);
    config.put(Config.TOPOLOGY_EXECUTOR_RECEIVE_BUFFER_SIZE, 32_768);
    try (LocalCluster cluster = new LocalCluster()) {
      cluster.submitTopology("packets", config, topology.createTopology());
      while (sum(0) == 0) {
        Thread.sleep(10);
      }
      Thread.sleep(Long.parseLong(args[2]) * 1_000);
      long packets = sum(0);
      long bytes = sum(1);
      long started = System.nanoTime();
      Thread.sleep(Long.parseLong(args[3]) * 1_000);
      packets = sum(0) - packets;
      bytes = sum(1) - bytes;
      System.out.printf(
          "counted %d %d %d%n", packets, bytes, (System.nanoTime() - started) / 1_000_000);
      System.out.flush();
      Runtime.getRuntime().halt(0); // a local cluster takes long to shut down
    }
  }

  private static long sum(int column) {
    long sum = 0;
    for (int i = column; i < COUNTED.length(); i += STRIDE) {
      sum += COUNTED.get(i);
    }
    return sum;
  }

  static final class Headers extends BaseRichSpout {
    private transient SpoutOutputCollector out;
    private int block;
    private int row;

    @Override
    public void open(
        Map<String, Object> config, TopologyContext context, SpoutOutputCollector collector) {
      out = collector;
      block = context.getThisTaskIndex() % BLOCKS.size();
    }

    @Override
    public void nextTuple() {
      PacketBlock packets = BLOCKS.get(block);
      out.emit(
          new Values(
              packets.bytes(), packets.start(row), packets.end(row), packets.wireLength(row)));
      if (++row == packets.rows()) {
        row = 0;
        block = (block + 1) % BLOCKS.size();
      }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {
      fields.declare(new Fields("bytes", "start", "end", "length"));
    }
  }

  static final class Count extends BaseBasicBolt {
    private transient PacketHeaders headers;
    private transient int place;
    private transient long[] packets;
    private transient long[] bytes;

    @Override
    public void prepare(Map<String, Object> config, TopologyContext context) {
      headers = new PacketHeaders();
      place = context.getThisTaskIndex() * STRIDE;
      packets = new long[257];
      bytes = new long[257];
    }

    @Override
    public void execute(Tuple tuple, BasicOutputCollector out) {
      int start = tuple.getInteger(1);
      long length = tuple.getLong(3);
      boolean isIp =
          headers.read(
              LinkType.ETHERNET,
              (byte[]) tuple.getValue(0),
              start,
              tuple.getInteger(2) - start,
              (int) length);
      int protocol = isIp && headers.protocol() >= 0 ? headers.protocol() : 256;
      packets[protocol]++;
      bytes[protocol] += length;
      COUNTED.lazySet(place, COUNTED.get(place) + 1);
      COUNTED.lazySet(place + 1, COUNTED.get(place + 1) + length);
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer fields) {}
  }
}
