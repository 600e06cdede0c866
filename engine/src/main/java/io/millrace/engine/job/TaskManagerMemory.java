package io.millrace.engine.job;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * Memory of a TaskManager's JVM, by part. Flink's scripts derive these from one total; a
 * TaskManager started without them requires explicit values. Immutable.
 *
 * @param heapBytes of the JVM: state, blocks, and read-ahead of Kafka clients
 * @param networkBytes of buffers between subtasks, off the heap
 */
public record TaskManagerMemory(long heapBytes, long networkBytes) {
  private static final long MIB = 1 << 20;
  private static final long FRAMEWORK_HEAP = 64 * MIB;
  private static final long FRAMEWORK_OFF_HEAP = 64 * MIB;

  /** Kafka clients copy through direct buffers of the size of their batches. */
  private static final long TASK_OFF_HEAP = 128 * MIB;

  private static final long METASPACE = 256 * MIB;
  private static final long OVERHEAD = 192 * MIB;

  public TaskManagerMemory {
    if (heapBytes < 192 * MIB) {
      throw new IllegalArgumentException(
          "task-manager-memory: " + heapBytes + " is not at least 192 MiB");
    }
  }

  /** JVM options for these bounds. */
  public List<String> jvmOptions() {
    return List.of(
        "-Xms" + heapBytes,
        "-Xmx" + heapBytes,
        "-XX:MaxDirectMemorySize=" + (FRAMEWORK_OFF_HEAP + TASK_OFF_HEAP + networkBytes),
        "-XX:MaxMetaspaceSize=" + METASPACE);
  }

  void set(Configuration c, int slots) {
    c.set(TaskManagerOptions.CPU_CORES, (double) slots);
    c.set(TaskManagerOptions.FRAMEWORK_HEAP_MEMORY, new MemorySize(FRAMEWORK_HEAP));
    c.set(TaskManagerOptions.TASK_HEAP_MEMORY, new MemorySize(heapBytes - FRAMEWORK_HEAP));
    c.set(TaskManagerOptions.FRAMEWORK_OFF_HEAP_MEMORY, new MemorySize(FRAMEWORK_OFF_HEAP));
    c.set(TaskManagerOptions.TASK_OFF_HEAP_MEMORY, new MemorySize(TASK_OFF_HEAP));
    c.set(TaskManagerOptions.JVM_METASPACE, new MemorySize(METASPACE));
    c.set(TaskManagerOptions.JVM_OVERHEAD_MIN, new MemorySize(OVERHEAD));
    c.set(TaskManagerOptions.JVM_OVERHEAD_MAX, new MemorySize(OVERHEAD));
  }
}
