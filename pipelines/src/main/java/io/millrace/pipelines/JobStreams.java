package io.millrace.pipelines;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Streams that pipelines of a job share, by name, while the job is built. A new job of the same run
 * replaces those of the previous one. Not thread-safe.
 */
public final class JobStreams {
  private final Map<String, DataStream<?>> streams = new HashMap<>();

  @SuppressWarnings("unchecked") // a name always refers to the same type of stream
  <S extends DataStream<?>> Optional<S> find(String name, StreamExecutionEnvironment job) {
    return Optional.ofNullable((S) streams.get(name))
        .filter(stream -> stream.getExecutionEnvironment() == job);
  }

  void put(String name, DataStream<?> stream) {
    streams.put(name, stream);
  }
}
