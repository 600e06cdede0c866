package io.millrace.server.runtime;

import io.millrace.server.collect.LossLedger;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * An instance in a process of its own, to be killed. Says {@code udp PORT} when it is up, then
 * {@code received N logged M} whenever that has changed: datagrams of this life, and of all lives.
 */
final class KilledInstance {
  private static final long LOOK_NANOS = 10_000_000;

  private KilledInstance() {}

  public static void main(String[] arguments) throws Exception {
    Thread orphan = new Thread(KilledInstance::endWithParent, "parent");
    orphan.setDaemon(true);
    orphan.start();
    Millrace millrace = new Millrace(Instances.config(Path.of(arguments[0])));
    millrace.start();
    System.out.println("udp " + millrace.udpPort());
    String said = "";
    while (true) {
      long received = millrace.datagrams();
      long logged = 0;
      for (LossLedger.Entry entry : millrace.ledger().exporters()) {
        logged += entry.collected().logged();
      }
      String say = "received " + received + " logged " + logged;
      if (!say.equals(said)) {
        System.out.println(say);
        said = say;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** The parent holds the other end of standard input. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever said
      }
    } catch (java.io.IOException e) {
      // the same
    }
    Runtime.getRuntime().halt(1);
  }
}
