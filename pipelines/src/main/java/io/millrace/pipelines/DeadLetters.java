package io.millrace.pipelines;

import io.millrace.engine.log.LogTopics;

/** The topic of values of the log that could not be read, of all pipelines. */
public final class DeadLetters {
  /** Its name. */
  public static final String TOPIC = "millrace.dead-letters";

  /** They are for a person to look at, not an archive. */
  private static final long BYTES = 64L << 20;

  private DeadLetters() {}

  /** Makes the topic where it is missing. */
  public static void ensure(LogTopics topics) {
    topics.ensure(TOPIC, 1, BYTES);
  }
}
