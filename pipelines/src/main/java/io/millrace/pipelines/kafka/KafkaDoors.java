package io.millrace.pipelines.kafka;

import io.millrace.engine.bridge.BridgeConfig;

/**
 * Topics of others.
 *
 * @param in which bring flows
 * @param out which get them
 */
public record KafkaDoors(BridgeConfig in, KafkaOutConfig out) {
  /** Neither. */
  public static final KafkaDoors NONE = new KafkaDoors(BridgeConfig.NONE, KafkaOutConfig.NONE);

  /** The same with other topics that bring flows. */
  public KafkaDoors withIn(BridgeConfig in) {
    return new KafkaDoors(in, out);
  }

  /** The same with another topic that gets them. */
  public KafkaDoors withOut(KafkaOutConfig out) {
    return new KafkaDoors(in, out);
  }
}
