package io.millrace.engine.advice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;

/**
 * Suggested changes to a cluster.
 *
 * @param steps one for each step of each running job, in the order of the job
 * @param notes on hosts, one sentence each
 */
public record Advice(List<OnStep> steps, List<String> notes) {
  private static final ObjectMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  /** Suggested number of subtasks compared with the current one. */
  public enum Verdict {
    /** More. */
    MORE,
    /** Fewer. */
    LESS,
    /** The same. */
    KEEP
  }

  /**
   * Advice on one step.
   *
   * @param job its name
   * @param step its name
   * @param parallelism current number of subtasks
   * @param suggested number of subtasks
   * @param busy mean busy share of its subtasks; null if unknown
   * @param busiest busy share of the busiest subtask; null if unknown
   * @param inputBackPressured greatest back-pressured share of the upstream steps; null for a
   *     source, or if unknown
   * @param idle share of time in which it waited for input; null if unknown
   * @param noteworthy whether a person should look at it
   * @param reason one sentence, with figures
   */
  public record OnStep(
      String job,
      String step,
      Verdict verdict,
      int parallelism,
      int suggested,
      Double busy,
      Double busiest,
      Double inputBackPressured,
      Double idle,
      boolean noteworthy,
      String reason) {}

  /** JSON with names in snake case. */
  public JsonNode toJson() {
    return JSON.valueToTree(this);
  }
}
