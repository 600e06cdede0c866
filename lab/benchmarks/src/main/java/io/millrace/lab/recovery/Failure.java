package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterProcess;
import io.millrace.engine.job.FlinkRest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** Failures of a cluster. */
enum Failure {
  /** One with subtasks; the other has slots for the whole job. Restarted after the recovery. */
  TASKMANAGER("kill a TaskManager") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = working(cluster, random);
      return Blow.at(target, target::kill, target::restart);
    }
  },

  /** Both of them; restarted at once. */
  TASKMANAGERS("kill two TaskManagers at once") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) {
      List<ClusterProcess> targets = cluster.cluster().taskManagers();
      return Blow.mendedAtOnce(
          "both, restarted at once",
          () -> {
            targets.parallelStream().forEach(ClusterProcess::kill);
            targets.forEach(ClusterProcess::restart);
          });
    }
  },

  /** One of the brokers; restarted after the recovery. */
  BROKER("kill a Kafka broker") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) {
      List<ClusterProcess> brokers = cluster.cluster().brokers();
      ClusterProcess target = brokers.get(random.nextInt(brokers.size()));
      return Blow.at(target, target::kill, target::restart);
    }
  },

  /** The leader; restarted as a standby after the recovery. */
  JOBMANAGER("kill the JobManager") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = cluster.cluster().leader();
      return Blow.at(target, target::kill, target::restart);
    }
  },

  /** The only one; restarted at once. */
  STORE("kill the store") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) {
      ClusterProcess target = cluster.store();
      return Blow.mendedAtOnce(
          target.name() + ", restarted at once",
          () -> {
            target.kill();
            target.restart();
          });
    }
  },

  /** A TaskManager that resumes after some seconds. */
  FREEZE("freeze a TaskManager") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = working(cluster, random);
      return Blow.ofWhatComesBack(target, target::freeze, target::thaw);
    }
  },

  /** A TaskManager whose host is disconnected and reconnected after some seconds. */
  NETWORK("disconnect a TaskManager") {
    @Override
    boolean needsHosts() {
      return true;
    }

    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = working(cluster, random);
      NamespaceNetwork network = cluster.network();
      return Blow.ofWhatComesBack(
          target, () -> network.cut(target.name()), () -> network.heal(target.name()));
    }
  };

  /**
   * A failure to cause.
   *
   * @param target text for readers
   * @param strike causes the failure
   * @param comesBack whether the target resumes while others may do its work, which it must not
   *     disturb
   * @param mend repairs the target; empty if {@code strike} does so
   */
  record Blow(String target, Runnable strike, boolean comesBack, Optional<Runnable> mend) {
    static Blow at(ClusterProcess target, Runnable strike, Runnable mend) {
      return new Blow(target.name(), strike, false, Optional.of(mend));
    }

    static Blow ofWhatComesBack(ClusterProcess target, Runnable strike, Runnable mend) {
      return new Blow(target.name(), strike, true, Optional.of(mend));
    }

    static Blow mendedAtOnce(String target, Runnable strike) {
      return new Blow(target, strike, false, Optional.empty());
    }
  }

  private final String label;

  Failure(String label) {
    this.label = label;
  }

  /** Text for readers. */
  String label() {
    return label;
  }

  /** Value of the option. */
  String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether each process must have its own host. */
  boolean needsHosts() {
    return false;
  }

  /** Chooses the target, which may take a while, and does nothing else. */
  abstract Blow aim(RecoveryCluster cluster, Random random) throws IOException;

  /** A random TaskManager with subtasks of the job. */
  private static ClusterProcess working(RecoveryCluster cluster, Random random) throws IOException {
    List<FlinkRest.TaskManager> working = new ArrayList<>(cluster.cluster().rest().taskManagers());
    working.removeIf(manager -> manager.freeSlots() == manager.slots());
    if (working.isEmpty()) {
      throw new IOException("no TaskManager runs subtasks of the job");
    }
    return cluster.cluster().process(working.get(random.nextInt(working.size())).id());
  }
}
