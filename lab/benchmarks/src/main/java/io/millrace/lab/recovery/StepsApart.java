package io.millrace.lab.recovery;

import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Run;
import io.millrace.store.ResultSpec;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A pipeline with steps in separate slots, so that with one slot per process each of them can be
 * killed alone.
 *
 * @param groups slot sharing group by uid of its first step; downstream steps inherit it
 */
record StepsApart(LogPipeline of, Map<String, String> groups) implements LogPipeline {
  @Override
  public String name() {
    return of.name();
  }

  @Override
  public Record config() {
    return of.config();
  }

  @Override
  public StepsApart with(Record config) {
    return new StepsApart((LogPipeline) of.with(config), groups);
  }

  @Override
  public boolean enabled() {
    return of.enabled();
  }

  @Override
  public List<String> topics() {
    return of.topics();
  }

  @Override
  public int slots(int jobSlots) {
    return of.slots(jobSlots);
  }

  @Override
  public List<ResultSpec> tables() {
    return of.tables();
  }

  @Override
  public String inCounter() {
    return of.inCounter();
  }

  @Override
  public List<String> storeSteps() {
    return of.storeSteps();
  }

  @Override
  public void build(StreamExecutionEnvironment job, Run run) throws Exception {
    of.build(job, run);
    for (Transformation<?> end : job.getTransformations()) {
      for (Transformation<?> step : end.getTransitivePredecessors()) {
        if (step.getUid() != null && groups.containsKey(step.getUid())) {
          step.setSlotSharingGroup(groups.get(step.getUid()));
        }
      }
    }
  }
}
