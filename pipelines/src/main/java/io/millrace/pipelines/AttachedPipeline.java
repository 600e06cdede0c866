package io.millrace.pipelines;

import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A pipeline whose steps are part of another pipeline's job, so that the log is read, decoded and
 * joined once for all of them. It may read further streams.
 */
public interface AttachedPipeline extends Pipeline {
  /** Name of the {@link LogPipeline} whose job its steps join. */
  @Override
  String jobName();

  /**
   * Tables of other pipelines of the same job, including attached ones, whose rows it reads ({@link
   * Run#rows}); these pipelines are built first.
   */
  default List<String> reads() {
    return List.of();
  }

  /**
   * Adds the steps, each with a uid that must never change and contains the pipeline's name, so
   * that its state is restored whichever other pipelines are added or removed. Blocks of {@link
   * Run#flows}, {@link Run#rows} and of shared streams must not be changed or kept; an analyzer of
   * a plugin's jar gets copies.
   */
  void addTo(StreamExecutionEnvironment job, Run run) throws Exception;
}
