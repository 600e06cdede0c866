package io.millrace.engine.advice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;

/**
 * What to change.
 *
 * @param steps one for each step of each running job, in the order of the job
 * @param notes on hosts, a sentence each
 */
public record Advice(List<OnStep> steps, List<String> notes) {
  private static final ObjectMapper JSON =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  /** How many subtasks a step should have, against what it has. */
  public enum Verdict {
    /** More. */
    MORE,
    /** Fewer. */
    LESS,
    /** As many. */
    KEEP
  }

  /**
   * On one step.
   *
   * @param job its name
   * @param step its name
   * @param parallelism that it has
   * @param suggested that it should have
   * @param busy mean share of its subtasks' time at work; null if unknown
   * @param busiest share of the subtask that is busy most; null if unknown
   * @param inputBackPressured the greatest share of time in which a step before it waited for room;
   *     null for a source, or if unknown
   * @param idle share of time in which it waited for input; null if unknown
   * @param noteworthy whether somebody should know: not where a step has what it needs
   * @param reason a sentence, with the figures that say so
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

  /** As JSON, with names in snake case. */
  public JsonNode toJson() {
    return JSON.valueToTree(this);
  }
}
