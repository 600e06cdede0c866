package io.millrace.pipelines;

import io.millrace.store.NearestName;
import io.millrace.store.ResultSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Validates dependencies between pipelines before a job is built. */
public final class Composition {
  private Composition() {}

  /**
   * The attached pipelines among the running ones; each follows the pipelines whose rows it reads.
   *
   * @throws IllegalArgumentException if one reads a missing table or is part of another job, two
   *     read each other's rows, or two declare a stream of the same name differently
   */
  public static List<AttachedPipeline> attached(List<Pipeline> running) {
    checkStreams(running);
    List<AttachedPipeline> left = new ArrayList<>();
    for (Pipeline pipeline : running) {
      if (pipeline instanceof AttachedPipeline attached) {
        checkJob(attached, running);
        attached.reads().forEach(table -> checkTable(attached, table, running));
        left.add(attached);
      }
    }
    List<AttachedPipeline> ordered = new ArrayList<>();
    while (!left.isEmpty()) {
      Set<String> awaited =
          left.stream()
              .flatMap(each -> each.tables().stream().map(ResultSpec::name))
              .collect(Collectors.toSet());
      AttachedPipeline next =
          left.stream()
              .filter(each -> each.reads().stream().noneMatch(awaited::contains))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "pipelines %s read each other's rows: remove one from reads()"
                              .formatted(
                                  left.stream()
                                      .map(Pipeline::name)
                                      .collect(Collectors.joining(", ")))));
      ordered.add(next);
      left.remove(next);
    }
    return ordered;
  }

  private static void checkStreams(List<Pipeline> running) {
    Map<String, Pipeline> owners = new HashMap<>();
    for (Pipeline pipeline : running) {
      for (RecordStream stream : pipeline.streams()) {
        Pipeline other = owners.putIfAbsent(stream.name(), pipeline);
        if (other != null && !other.streams().contains(stream)) {
          throw new IllegalArgumentException(
              "pipelines %s and %s declare the stream %s differently: rename one of them"
                  .formatted(other.name(), pipeline.name(), stream.name()));
        }
      }
    }
  }

  private static void checkJob(AttachedPipeline pipeline, List<Pipeline> running) {
    List<String> jobs =
        running.stream().filter(LogPipeline.class::isInstance).map(Pipeline::name).toList();
    if (!jobs.contains(pipeline.jobName())) {
      throw new IllegalArgumentException(
          "pipeline %s: unknown job %s; jobName() must return one of %s"
              .formatted(pipeline.name(), pipeline.jobName(), String.join(", ", jobs)));
    }
  }

  private static void checkTable(AttachedPipeline pipeline, String table, List<Pipeline> running) {
    Map<String, String> jobs = new HashMap<>();
    running.forEach(
        each -> each.tables().forEach(filled -> jobs.put(filled.name(), each.jobName())));
    String job = jobs.get(table);
    if (job == null) {
      throw new IllegalArgumentException(
          "pipeline %s reads rows of %s, which is not a table of an enabled pipeline; %s"
              .formatted(
                  pipeline.name(),
                  table,
                  NearestName.of(table, jobs.keySet())
                      .map("did you mean %s?"::formatted)
                      .orElse("enable the pipeline that fills it")));
    }
    if (!job.equals(pipeline.jobName())) {
      throw new IllegalArgumentException(
          "pipeline %s is part of job %s but reads rows of %s, which job %s produces: return %s from jobName(), or read a topic with the rows"
              .formatted(pipeline.name(), pipeline.jobName(), table, job, job));
    }
  }
}
