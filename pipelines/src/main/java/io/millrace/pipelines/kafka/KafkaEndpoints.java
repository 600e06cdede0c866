package io.millrace.pipelines.kafka;

import io.millrace.engine.bridge.BridgeConfig;

/**
 * Topics of others.
 *
 * @param in which bring flows
 * @param out which get them
 */
public record KafkaEndpoints(BridgeConfig in, KafkaOutConfig out) {
  /** Neither. */
  public static final KafkaEndpoints NONE =
      new KafkaEndpoints(BridgeConfig.NONE, KafkaOutConfig.NONE);

  /** The same with other topics that bring flows. */
  public KafkaEndpoints withIn(BridgeConfig in) {
    return new KafkaEndpoints(in, out);
  }

  /** The same with another topic that gets them. */
  public KafkaEndpoints withOut(KafkaOutConfig out) {
    return new KafkaEndpoints(in, out);
  }
}
