package io.millrace.engine.job;

import java.util.OptionalInt;

/**
 * Settings of one step of a job. Invalid values are rejected here.
 *
 * @param parallelism number of subtasks, 1 to 128, of the step and of the following steps up to the
 *     next exchange; empty for that of the job
 * @param slots slot sharing group of the step, and of the following steps up to one that names
 *     another; null for that of the previous step
 */
public record StepConfig(OptionalInt parallelism, String slots) {
  private static final int MAX_SUBTASKS = 128;

  public StepConfig {
    if (parallelism.isPresent()
        && (parallelism.getAsInt() < 1 || parallelism.getAsInt() > MAX_SUBTASKS)) {
      throw new IllegalArgumentException(
          "parallelism: " + parallelism.getAsInt() + " is not 1 to " + MAX_SUBTASKS);
    }
    if (slots != null && !slots.matches("[a-z][a-z0-9-]{0,39}")) {
      throw new IllegalArgumentException(
          "slots: " + slots + " is not a name of lower-case letters, digits and hyphens");
    }
  }
}
