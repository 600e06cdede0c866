package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterProcess;
import io.millrace.engine.job.FlinkRest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** What may happen to a cluster. */
enum Failure {
  /** One that works for the job; the other has slots for all of it. It comes back afterwards. */
  TASKMANAGER("kill a TaskManager") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = working(cluster, random);
      return Blow.at(target, target::kill, target::restart);
    }
  },

  /** All there are: both are started again at once. */
  TASKMANAGERS("kill two TaskManagers at once") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) {
      List<ClusterProcess> targets = cluster.cluster().taskManagers();
      return Blow.mendedAtOnce(
          "both, started again at once",
          () -> {
            targets.parallelStream().forEach(ClusterProcess::kill);
            targets.forEach(ClusterProcess::restart);
          });
    }
  },

  /** One of three; it comes back afterwards. */
  BROKER("kill a Kafka broker") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) {
      List<ClusterProcess> brokers = cluster.cluster().brokers();
      ClusterProcess target = brokers.get(random.nextInt(brokers.size()));
      return Blow.at(target, target::kill, target::restart);
    }
  },

  /** The one that leads; it comes back afterwards, to wait. */
  JOBMANAGER("kill the JobManager") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = cluster.cluster().leader();
      return Blow.at(target, target::kill, target::restart);
    }
  },

  /** There is one only: it is started again at once. */
  STORE("kill the store") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) {
      ClusterProcess target = cluster.store();
      return Blow.mendedAtOnce(
          target.name() + ", started again at once",
          () -> {
            target.kill();
            target.restart();
          });
    }
  },

  /** A TaskManager that wakes when the job has long gone on elsewhere. */
  FREEZE("freeze a TaskManager") {
    @Override
    Blow aim(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess target = working(cluster, random);
      return Blow.ofWhatComesBack(target, target::freeze, target::thaw);
    }
  },

  /** A TaskManager whose host is cut off and comes back when the job has long gone on elsewhere. */
  NETWORK("cut a TaskManager off") {
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
   * What is to be done.
   *
   * @param target for who reads
   * @param strike does it
   * @param comesBack whether the other side comes back while others are at its work, and must not
   *     disturb them
   * @param mend undoes it; empty if striking does that already
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

  /** As a phrase. */
  String label() {
    return label;
  }

  /** As an option's value. */
  String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether each process must have a host of its own. */
  boolean needsHosts() {
    return false;
  }

  /** Chooses what is hit, and does nothing yet: to find it may take a while. */
  abstract Blow aim(RecoveryCluster cluster, Random random) throws IOException;

  /** A TaskManager that has subtasks of the job. */
  private static ClusterProcess working(RecoveryCluster cluster, Random random) throws IOException {
    List<FlinkRest.TaskManager> working = new ArrayList<>(cluster.cluster().rest().taskManagers());
    working.removeIf(manager -> manager.freeSlots() == manager.slots());
    if (working.isEmpty()) {
      throw new IOException("no TaskManager works for the job");
    }
    return cluster.cluster().process(working.get(random.nextInt(working.size())).id());
  }
}
