package io.millrace.pipelines;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Streams of a job that pipelines share, by name, while it is built. Those of an earlier job of the
 * same run are replaced. Not thread-safe.
 */
public final class JobStreams {
  private final Map<String, DataStream<?>> streams = new HashMap<>();

  @SuppressWarnings("unchecked") // each name is that of one kind of stream
  <S extends DataStream<?>> Optional<S> find(String name, StreamExecutionEnvironment job) {
    return Optional.ofNullable((S) streams.get(name))
        .filter(stream -> stream.getExecutionEnvironment() == job);
  }

  void put(String name, DataStream<?> stream) {
    streams.put(name, stream);
  }
}
