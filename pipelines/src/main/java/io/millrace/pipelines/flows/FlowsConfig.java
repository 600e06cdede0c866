package io.millrace.pipelines.flows;

import io.millrace.wire.packet.IpLayer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.util.Map;

/**
 * Settings of decoding.
 *
 * @param sampling rates of exporters that do not report theirs: by address or prefix ({@code
 *     192.0.2.0/24}), 1 in N packets; the longest prefix applies
 * @param maxRowsPerSecond maximum rows per second of one exporter; beyond it, rows are shed evenly
 *     and the sampling rates of the remaining rows raised to compensate; 0 for no limit
 * @param layer of sampled tunnelled packets whose flows are stored
 * @param layer2 whether frames that are not IP become rows
 * @param netflow limits per exporter of NetFlow version 9 and IPFIX
 */
@RecordBuilder
public record FlowsConfig(
    Map<String, Long> sampling,
    int maxRowsPerSecond,
    IpLayer layer,
    boolean layer2,
    NetflowBounds netflow)
    implements FlowsConfigBuilder.With, Serializable {

  public FlowsConfig {
    sampling = Map.copyOf(sampling);
    PrefixRates.of(sampling);
    if (maxRowsPerSecond < 0) {
      throw new IllegalArgumentException(
          "max-rows-per-second: " + maxRowsPerSecond + " is less than 0");
    }
  }

  /** No declared rates, no load shedding, the outer layer of tunnels. */
  public static FlowsConfig defaults() {
    return new FlowsConfig(Map.of(), 0, IpLayer.OUTER, false, NetflowBounds.defaults());
  }

  /**
   * Limits per exporter of NetFlow version 9 and IPFIX.
   *
   * @param maxSessions exporters (address, port, domain) whose templates are kept, per partition of
   *     the log; one sender may use a quarter of this and of the following limits
   * @param maxTemplates templates of one exporter
   * @param maxAllTemplates templates of all exporters, per partition of the log
   * @param maxFields fields of one template
   * @param holdMicros how long data waits for its template
   * @param holdSizeBytes memory for waiting data, per partition of the log
   */
  public record NetflowBounds(
      int maxSessions,
      int maxTemplates,
      int maxAllTemplates,
      int maxFields,
      long holdMicros,
      int holdSizeBytes)
      implements Serializable {

    public NetflowBounds {
      require("max-sessions", maxSessions, 1, 1 << 20);
      require("max-templates", maxTemplates, 1, 1 << 16);
      require("max-all-templates", maxAllTemplates, 1, 1 << 20);
      require("max-fields", maxFields, 1, 1 << 14);
      require("hold", holdMicros, 0, 86_400_000_000L);
      require("hold-size", holdSizeBytes, 0, 1 << 30);
    }

    private static void require(String key, long value, long min, long max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(key + ": " + value + " is not in " + min + " to " + max);
      }
    }

    /**
     * 4,096 exporters with 1,024 templates each, of 256 fields; 32,768 templates in total; 16 MiB
     * of data wait for up to 5 minutes.
     */
    public static NetflowBounds defaults() {
      return new NetflowBounds(4_096, 1_024, 1 << 15, 256, 300_000_000L, 16 << 20);
    }
  }
}
