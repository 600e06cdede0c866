package io.millrace.bench;

import io.millrace.bench.ads.AdsBenchmark;
import io.millrace.bench.apps.AppsBenchmark;
import io.millrace.bench.apps.FloodBenchmark;
import io.millrace.bench.endtoend.CheckpointBenchmark;
import io.millrace.bench.endtoend.FlowsBatchBenchmark;
import io.millrace.bench.endtoend.FlowsCompressionBenchmark;
import io.millrace.bench.endtoend.FlowsHittersBenchmark;
import io.millrace.bench.endtoend.FlowsInFlightBenchmark;
import io.millrace.bench.endtoend.FlowsLogBenchmark;
import io.millrace.bench.endtoend.FlowsQueryBenchmark;
import io.millrace.bench.endtoend.FlowsRollupsBenchmark;
import io.millrace.bench.endtoend.FlowsScalingBenchmark;
import io.millrace.bench.endtoend.FlowsUdpBenchmark;
import io.millrace.bench.endtoend.LogProducersBenchmark;
import io.millrace.bench.endtoend.OverloadBenchmark;
import io.millrace.bench.gateways.GatewaysBenchmark;
import io.millrace.bench.harness.Benchmark;
import io.millrace.bench.hitters.HittersBenchmark;
import io.millrace.bench.ingest.IngestBenchmark;
import io.millrace.bench.ingest.PressureBenchmark;
import io.millrace.bench.micro.AsnBenchmark;
import io.millrace.bench.micro.FlowMessageBenchmark;
import io.millrace.bench.micro.KafkaOutBenchmark;
import io.millrace.bench.micro.NetflowBenchmark;
import io.millrace.bench.micro.RdnsBenchmark;
import io.millrace.bench.micro.SflowBenchmark;
import io.millrace.bench.micro.StateBenchmark;
import io.millrace.bench.micro.WindowsBenchmark;
import io.millrace.bench.nexmark.NexmarkBenchmark;
import io.millrace.bench.packets.PacketsBenchmark;
import io.millrace.bench.packets.TunnelsBenchmark;
import io.millrace.bench.peers.PeersBenchmark;
import io.millrace.bench.peers.Protocol;
import io.millrace.bench.quota.QuotaBenchmark;
import io.millrace.bench.recovery.AppsRecoveryBenchmark;
import io.millrace.bench.recovery.RecoveryBenchmark;
import io.millrace.bench.series.SamplesBenchmark;
import io.millrace.bench.series.SeriesBenchmark;
import io.millrace.bench.siege.SiegeBenchmark;
import io.millrace.bench.soak.SoakBenchmark;
import io.millrace.bench.topn.TopnBenchmark;
import io.millrace.bench.trends.TrendsBenchmark;
import io.millrace.bench.voice.VoiceBenchmark;
import io.millrace.bench.week.RetentionBenchmark;
import io.millrace.bench.week.WeekBenchmark;
import java.util.List;

/** All benchmarks, in the order in which data flows. */
public final class Benchmarks {
  private Benchmarks() {}

  /** The list. */
  public static List<Benchmark> all() {
    return List.of(
        new SflowBenchmark(),
        new NetflowBenchmark(9),
        new NetflowBenchmark(10),
        new FlowMessageBenchmark(),
        new AsnBenchmark(),
        new RdnsBenchmark(),
        new KafkaOutBenchmark(),
        new StateBenchmark(),
        new WindowsBenchmark(),
        new HittersBenchmark(),
        new AppsBenchmark(),
        new FloodBenchmark(),
        new TunnelsBenchmark(),
        new CheckpointBenchmark(),
        new LogProducersBenchmark(),
        new FlowsLogBenchmark(4),
        new FlowsLogBenchmark(1),
        new FlowsUdpBenchmark(),
        new FlowsQueryBenchmark(),
        new TopnBenchmark(),
        new SeriesBenchmark(),
        new SamplesBenchmark(),
        new RetentionBenchmark(),
        new FlowsScalingBenchmark(),
        new FlowsBatchBenchmark(),
        new FlowsInFlightBenchmark(),
        new FlowsCompressionBenchmark(),
        new FlowsRollupsBenchmark(),
        new FlowsHittersBenchmark(),
        new RecoveryBenchmark(),
        new AppsRecoveryBenchmark(),
        new GatewaysBenchmark(),
        new IngestBenchmark(false),
        new IngestBenchmark(true),
        new PressureBenchmark(),
        new TrendsBenchmark(),
        new QuotaBenchmark(),
        new VoiceBenchmark(),
        new AdsBenchmark(),
        new NexmarkBenchmark(),
        new PacketsBenchmark(),
        new OverloadBenchmark(),
        new SoakBenchmark(),
        new SiegeBenchmark(),
        new WeekBenchmark(),
        new PeersBenchmark(Protocol.SFLOW),
        new PeersBenchmark(Protocol.NETFLOW9),
        new PeersBenchmark(Protocol.IPFIX));
  }
}
