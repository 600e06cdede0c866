package io.millrace.pipelines;

import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A pipeline whose steps are part of the job of another one, so that what that job reads, decodes
 * and joins is there once for all of them. It may read streams of its own besides.
 */
public interface AttachedPipeline extends Pipeline {
  /** Name of the {@link LogPipeline} whose job its steps are part of; that runs where this does. */
  @Override
  String jobName();

  /**
   * Tables of other pipelines of the same job whose rows it reads ({@link Run#rows}), also of
   * attached ones: those are built first.
   */
  default List<String> reads() {
    return List.of();
  }

  /**
   * Adds the steps, each with a uid that is never to be changed and holds the pipeline's name, so
   * that its state is found whatever other pipelines come and go. Blocks of {@link Run#flows},
   * {@link Run#rows} and of streams that others read too are not to be changed or kept; an analyzer
   * of a plugin's jar is given copies.
   */
  void addTo(StreamExecutionEnvironment job, Run run) throws Exception;
}
