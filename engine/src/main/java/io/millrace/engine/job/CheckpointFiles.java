package io.millrace.engine.job;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.kafka.common.TopicPartition;

record CheckpointFiles(Path directory, CheckpointMetadata metadata) {
  static final String METADATA = "_metadata";

  private static final String SPLITS = "SourceReaderState";

  static CheckpointFiles read(Path directory) throws IOException {
    Path file = directory.resolve(METADATA);
    if (FileChecksum.isIn(file)) {
      FileChecksum.check(file); // Flink allocates memory by counts in the file, so check it first
    }
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      return new CheckpointFiles(
          directory,
          Checkpoints.loadCheckpointMetadata(
              in, CheckpointFiles.class.getClassLoader(), file.toString()));
    } catch (EOFException e) {
      throw new IOException(file + " is truncated", e);
    } catch (RuntimeException e) {
      throw new IOException(file + " is damaged: " + e.getMessage(), e);
    }
  }

  /**
   * Verifies all files: the checksum, or only the length of a file without one (written by another
   * process).
   */
  void check() throws IOException {
    boolean isChecked = FileChecksum.isIn(directory.resolve(METADATA));
    for (StreamStateHandle state : states()) {
      if (state.maybeGetPath().isEmpty()) {
        continue; // its state is inside the metadata file
      }
      Path path = Path.of(state.maybeGetPath().get().getPath());
      long length = state.getStateSize() + (isChecked ? FileChecksum.LENGTH : 0);
      if (Files.size(path) != length) {
        throw new IOException(
            path + " is damaged: " + Files.size(path) + " bytes, expected " + length);
      }
      if (isChecked) {
        FileChecksum.check(path);
      }
    }
  }

  private List<StreamStateHandle> states() {
    List<StreamStateHandle> states = new ArrayList<>();
    for (OperatorState operator : metadata.getOperatorStates()) {
      if (operator.getCoordinatorState() != null) {
        states.add(operator.getCoordinatorState());
      }
      for (OperatorSubtaskState subtask : operator.getStates()) {
        states.addAll(subtask.getManagedOperatorState());
        states.addAll(subtask.getRawOperatorState());
        addKeyed(subtask.getManagedKeyedState(), states);
        addKeyed(subtask.getRawKeyedState(), states);
      }
    }
    return states;
  }

  private static void addKeyed(Collection<KeyedStateHandle> keyed, List<StreamStateHandle> states) {
    for (KeyedStateHandle handle : keyed) {
      if (handle instanceof StreamStateHandle stream) {
        states.add(stream);
      } else if (handle instanceof IncrementalKeyedStateHandle parts) {
        parts.getSharedStateHandles().forEach(part -> states.add(part.getHandle()));
        if (handle instanceof IncrementalRemoteKeyedStateHandle remote) {
          remote.getPrivateState().forEach(part -> states.add(part.getHandle()));
          states.add(remote.getMetaDataStateHandle());
        }
      }
    }
  }

  /** Position of each source: the first unread offset of each partition. */
  Map<TopicPartition, Long> positions() throws IOException {
    Map<TopicPartition, Long> positions = new HashMap<>();
    KafkaPartitionSplitSerializer splits = new KafkaPartitionSplitSerializer();
    for (OperatorState operator : metadata.getOperatorStates()) {
      for (OperatorSubtaskState subtask : operator.getStates()) {
        for (OperatorStateHandle state : subtask.getManagedOperatorState()) {
          OperatorStateHandle.StateMetaInfo place =
              state.getStateNameToPartitionOffsets().get(SPLITS);
          if (place == null) {
            continue;
          }
          try (FSDataInputStream in = state.openInputStream()) {
            for (long offset : place.getOffsets()) {
              in.seek(offset);
              KafkaPartitionSplit split =
                  SimpleVersionedSerialization.readVersionAndDeSerialize(
                      splits,
                      BytePrimitiveArraySerializer.INSTANCE.deserialize(
                          new DataInputViewStreamWrapper(in)));
              positions.merge(split.getTopicPartition(), split.getStartingOffset(), Math::max);
            }
          }
        }
      }
    }
    return positions;
  }
}
