package io.millrace.pipelines;

import io.millrace.engine.log.LogTopics;

/** The topic of unreadable values of the log, of all pipelines. */
public final class DeadLetters {
  /** Its name. */
  public static final String TOPIC = "millrace.dead-letters";

  private static final long BYTES = 64L << 20;

  private DeadLetters() {}

  /** Creates the topic if it is missing. */
  public static void ensure(LogTopics topics) {
    topics.ensure(TOPIC, 1, BYTES);
  }
}
