package io.millrace.engine.job;

import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.util.Reference;

/**
 * What the parts of a Flink cluster talk by. Flink unpacks its 24 MB into a file and loads its
 * thousands of classes by a loader of their own, for each cluster anew: a second of a core. Here
 * the clusters of this process share it, one after the other and beside each other; the file goes
 * when the process ends. Thread-safe.
 */
final class SharedRpc {
  private static RpcSystem system; // null until one was loaded
  private static int clusters;
  private static boolean isEnding;

  private SharedRpc() {}

  /** For a cluster that is made, which gives it back when it is closed. */
  static synchronized Reference<RpcSystem> take() {
    if (system == null) {
      Runtime.getRuntime().addShutdownHook(new Thread(SharedRpc::end, "rpc-end"));
      system = RpcSystem.load();
    }
    clusters++;
    return Reference.borrowed(system);
  }

  /** Another hook may close the last cluster later than the process begins to end. */
  static synchronized void giveBack() {
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
