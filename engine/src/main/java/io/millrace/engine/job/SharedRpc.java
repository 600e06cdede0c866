package io.millrace.engine.job;

import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.util.Reference;

/**
 * Flink's RPC system, shared by all clusters of this process: loading it costs a second of CPU and
 * a file of 24 MB, which is deleted when the process ends. Thread-safe.
 */
final class SharedRpc {
  private static RpcSystem system; // null until loaded
  private static int clusters;
  private static boolean isEnding;

  private SharedRpc() {}

  static synchronized Reference<RpcSystem> take() {
    if (system == null) {
      Runtime.getRuntime().addShutdownHook(new Thread(SharedRpc::end, "rpc-end"));
      system = RpcSystem.load();
    }
    clusters++;
    return Reference.borrowed(system);
  }

  /**
   * Ends the use by one cluster. Another shutdown hook may close the last cluster after this
   * class's hook has run.
   */
  static synchronized void release() {
    clusters--;
    closeAtLast();
  }

  private static synchronized void end() {
    isEnding = true;
    closeAtLast();
  }

  private static void closeAtLast() {
    if (isEnding && clusters == 0 && system != null) {
      system.close();
    }
  }
}
