package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settings of this job: read → first ⇄ second → third, and first + second → last. */
class StepSettingsTest {
  private final StreamExecutionEnvironment job =
      StreamExecutionEnvironment.getExecutionEnvironment();

  @BeforeEach
  void build() {
    DataStream<Long> read = job.fromSequence(1, 9).name("read").setParallelism(4);
    SingleOutputStreamOperator<Long> first = step(read, "first");
    SingleOutputStreamOperator<Long> second = step(first.rebalance(), "second");
    step(second, "third").print().name("end").setParallelism(4);
    step(first.union(second), "last").print().name("last-end").setParallelism(4);
  }

  private static SingleOutputStreamOperator<Long> step(DataStream<Long> of, String name) {
    return of.map(each -> each).returns(Long.class).name(name).setParallelism(4);
  }

  private Map<String, String> apply(Map<String, StepConfig> settings) {
    StepSettings.apply(job, settings);
    Map<String, String> steps = new TreeMap<>();
    for (StreamNode node : job.getStreamGraph().getStreamNodes()) {
      steps.put(
          node.getOperatorName().replaceAll("(Source|Sink): ", ""),
          node.getParallelism() + " " + node.getSlotSharingGroup());
    }
    return steps;
  }

  private static StepConfig parallelism(int subtasks) {
    return new StepConfig(OptionalInt.of(subtasks), null);
  }

  @Test
  void aSettingAlsoAppliesToStepsThatFollowWithoutAnExchange() {
    assertThat(apply(Map.of("read", parallelism(2), "second", parallelism(2))))
        .containsEntry("read", "2 default")
        .containsEntry("first", "2 default")
        .containsEntry("second", "2 default")
        .containsEntry("end", "2 default")
        .containsEntry("last-end", "2 default");
  }

  @Test
  void aStepThatFollowsWithoutAnExchangeHasNoParallelismOfItsOwn() {
    assertThatThrownBy(() -> apply(Map.of("third", parallelism(2))))
        .hasMessage(
            "job.steps.third.parallelism: the step shares the subtasks of second, which it follows"
                + " without an exchange: set job.steps.second");
  }

  @Test
  void inputsOfOneStepKeepOneParallelism() {
    assertThatThrownBy(() -> apply(Map.of("second", parallelism(2))))
        .hasMessage(
            "job.steps: last reads first with 4 subtasks and second with 2: set both to the same"
                + " parallelism");
  }

  @Test
  void aSlotSharingGroupBeginsAtItsStep() {
    assertThat(
            apply(
                Map.of(
                    "second", new StepConfig(OptionalInt.empty(), "heavy"),
                    "last", new StepConfig(OptionalInt.empty(), "light"))))
        .containsEntry("first", "4 default")
        .containsEntry("second", "4 heavy")
        .containsEntry("end", "4 heavy")
        .containsEntry("last-end", "4 light");
  }

  @Test
  void slotsAreThereForEachGroupAndForWiderSteps() {
    FlinkConfig config =
        FlinkConfig.defaults()
            .withSteps(
                Map.of(
                    "a", parallelism(3),
                    "b", new StepConfig(OptionalInt.empty(), "heavy"),
                    "c", new StepConfig(OptionalInt.empty(), "heavy")));
    assertThat(config.withSlotsFor(2).slots()).isEqualTo(10);
    assertThat(config.withSteps(Map.of()).withSlotsFor(2).slots()).isEqualTo(2);
  }

  @Test
  void namesOfAllStepsAreReturned() {
    assertThat(StepSettings.apply(job, Map.of())).contains("read", "first", "second", "third");
  }
}
