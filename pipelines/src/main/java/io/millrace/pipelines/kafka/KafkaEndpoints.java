package io.millrace.pipelines.kafka;

import io.millrace.engine.bridge.BridgeConfig;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * External topics.
 *
 * @param in input of flows
 * @param out output of flows
 */
@RecordBuilder
public record KafkaEndpoints(BridgeConfig in, KafkaOutConfig out)
    implements KafkaEndpointsBuilder.With {
  /** Neither. */
  public static final KafkaEndpoints NONE =
      new KafkaEndpoints(BridgeConfig.NONE, KafkaOutConfig.NONE);
}
