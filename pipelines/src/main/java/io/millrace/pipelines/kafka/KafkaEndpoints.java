package io.millrace.pipelines.kafka;

import io.millrace.engine.bridge.BridgeConfig;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Topics of others.
 *
 * @param in which bring flows
 * @param out which get them
 */
@RecordBuilder
public record KafkaEndpoints(BridgeConfig in, KafkaOutConfig out)
    implements KafkaEndpointsBuilder.With {
  /** Neither. */
  public static final KafkaEndpoints NONE =
      new KafkaEndpoints(BridgeConfig.NONE, KafkaOutConfig.NONE);
}
