package io.millrace.bench.recovery;

import io.millrace.engine.job.FlinkRest;
import io.millrace.server.cluster.ClusterConfig;
import io.millrace.server.cluster.ClusterProcess;
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
    Damage strike(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess hit = working(cluster, random);
      hit.kill();
      return Damage.until(hit, hit::restart);
    }
  },

  /** All there are: both are started again at once. */
  TASKMANAGERS("kill two TaskManagers at once") {
    @Override
    Damage strike(RecoveryCluster cluster, Random random) {
      List<ClusterProcess> hit = cluster.cluster().taskManagers();
      hit.parallelStream().forEach(ClusterProcess::kill);
      hit.forEach(ClusterProcess::restart);
      return Damage.mended("both, started again at once");
    }
  },

  /** One of three; it comes back afterwards. */
  BROKER("kill a Kafka broker") {
    @Override
    Damage strike(RecoveryCluster cluster, Random random) {
      List<ClusterProcess> brokers = cluster.cluster().brokers();
      ClusterProcess hit = brokers.get(random.nextInt(brokers.size()));
      hit.kill();
      return Damage.until(hit, hit::restart);
    }
  },

  /** The one that leads; it comes back afterwards, to wait. */
  JOBMANAGER("kill the JobManager") {
    @Override
    Damage strike(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess hit = leader(cluster);
      hit.kill();
      return Damage.until(hit, hit::restart);
    }
  },

  /** There is one only: it is started again at once. */
  STORE("kill the store") {
    @Override
    Damage strike(RecoveryCluster cluster, Random random) {
      cluster.store().kill();
      cluster.store().restart();
      return Damage.mended(cluster.store().name() + ", started again at once");
    }
  },

  /** A TaskManager that wakes when the job has long gone on elsewhere. */
  FREEZE("freeze a TaskManager") {
    @Override
    Damage strike(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess hit = working(cluster, random);
      hit.freeze();
      return Damage.late(hit, hit::thaw);
    }
  },

  /** A TaskManager whose host is cut off and comes back when the job has long gone on elsewhere. */
  NETWORK("cut a TaskManager off") {
    @Override
    ClusterConfig.Hosts hosts() {
      return ClusterConfig.Hosts.NAMESPACES;
    }

    @Override
    Damage strike(RecoveryCluster cluster, Random random) throws IOException {
      ClusterProcess hit = working(cluster, random);
      var network = cluster.cluster().network().orElseThrow();
      network.cut(hit.name());
      return Damage.late(hit, () -> network.heal(hit.name()));
    }
  };

  /**
   * What was done.
   *
   * @param what for who reads
   * @param late whether the other side comes back while others are at its work, and must not
   *     disturb them
   * @param mend brings it back; empty if that is done already
   */
  record Damage(String what, boolean late, Optional<Runnable> mend) {
    static Damage until(ClusterProcess hit, Runnable mend) {
      return new Damage(hit.name(), false, Optional.of(mend));
    }

    static Damage late(ClusterProcess hit, Runnable mend) {
      return new Damage(hit.name(), true, Optional.of(mend));
    }

    static Damage mended(String what) {
      return new Damage(what, false, Optional.empty());
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

  /** What the processes must run on for it. */
  ClusterConfig.Hosts hosts() {
    return ClusterConfig.Hosts.LOOPBACK;
  }

  /** Does it. */
  abstract Damage strike(RecoveryCluster cluster, Random random) throws IOException;

  /** A TaskManager that has subtasks of the job. */
  private static ClusterProcess working(RecoveryCluster cluster, Random random)
      throws IOException {
    List<FlinkRest.TaskManager> working = new ArrayList<>(cluster.cluster().rest().taskManagers());
    working.removeIf(manager -> manager.freeSlots() == manager.slots());
    if (working.isEmpty()) {
      throw new IOException("no TaskManager works for the job");
    }
    return cluster.cluster().process(working.get(random.nextInt(working.size())).id());
  }

  /** Whichever JobManager is asked, it answers with the leader's words. */
  private static ClusterProcess leader(RecoveryCluster cluster) throws IOException {
    String words = cluster.cluster().rest().get("/jobmanager/config").toString();
    return cluster.cluster().jobManagers().stream()
        .filter(process -> words.contains(process.name()))
        .findFirst()
        .orElseThrow(() -> new IOException("nobody leads the JobManagers"));
  }
}
