package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterException;
import io.millrace.cluster.HostCommand;
import io.millrace.cluster.HostNetwork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A network of hosts on this machine: each host is a network namespace with its own address,
 * connected to one switch. Needs Linux, root and iproute2.
 *
 * <pre>
 *   this machine     NAME-taskmanager-1    NAME-broker-1      namespaces, one a host
 *   10.x.y.1/24      10.x.y.2/24           10.x.y.3/24
 *       NAMEh0           eth0                  eth0           veth pairs
 *       │                │                     │
 *   ┌── p0 ───────────── p1 ────────────────── p2 ──┐
 *   │                   bridge                      │         namespace NAME-switch
 *   └───────────────────────────────────────────────┘
 * </pre>
 *
 * The switch has a separate namespace, without this machine's firewall rules. A host is partitioned
 * at its port of the switch: its link stays up, and its packets are dropped silently, as by a
 * broken router. Not thread-safe.
 */
final class NamespaceNetwork implements HostNetwork {
  private static final String SWITCH = "-switch";
  private static final String DISABLED = "0";
  private static final String FORWARDING = "3";

  private final String name;
  private final String prefix;
  private final Map<String, Integer> numbers = new LinkedHashMap<>();

  private NamespaceNetwork(String name, String prefix) {
    this.name = name;
    this.prefix = prefix;
  }

  /** Why such networks are unavailable here; empty if they are available. */
  public static Optional<String> whyUnavailable() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("network namespaces require root");
    }
    for (List<String> question : List.of(List.of("ip", "-V"), List.of("bridge", "-V"))) {
      if (HostCommand.tryRun(question).isPresent()) {
        return Optional.of("network namespaces require iproute2 (" + question.get(0) + ")");
      }
    }
    String trial = "mrtry" + ProcessHandle.current().pid();
    Optional<String> failure = HostCommand.tryRun(List.of("ip", "netns", "add", trial));
    if (failure.isPresent()) {
      return Optional.of("cannot create network namespaces: " + failure.get());
    }
    HostCommand.run("ip", "netns", "del", trial);
    return Optional.empty();
  }

  /**
   * Creates the switch, connected to this machine.
   *
   * @param name unique; up to eight letters and digits, as interface names are short
   * @throws ClusterException if it cannot be created; nothing is left of it
   */
  public static NamespaceNetwork create(String name) {
    remove(name);
    NamespaceNetwork network = new NamespaceNetwork(name, Subnets.free(name));
    try {
      String hub = name + SWITCH;
      HostCommand.run("ip", "netns", "add", hub);
      HostCommand.run("ip", "-n", hub, "link", "add", "bridge", "type", "bridge");
      HostCommand.run("ip", "-n", hub, "link", "set", "bridge", "up");
      network.plug(0, Optional.empty());
      return network;
    } catch (ClusterException e) {
      remove(name);
      throw e;
    }
  }

  @Override
  public void add(String host) {
    int number = numbers.size() + 1;
    String namespace = host(host);
    HostCommand.run("ip", "netns", "add", namespace);
    HostCommand.run("ip", "-n", namespace, "link", "set", "lo", "up");
    plug(number, Optional.of(namespace));
    numbers.put(host, number);
  }

  private void plug(int number, Optional<String> namespace) {
    String port = "p" + number;
    String hub = name + SWITCH;
    String cable = name + "h" + number;
    HostCommand.run("ip", "link", "add", cable, "type", "veth", "peer", "name", port, "netns", hub);
    HostCommand.run("ip", "-n", hub, "link", "set", port, "master", "bridge", "up");
    String address = prefix + (number + 1) + "/24";
    if (namespace.isEmpty()) {
      HostCommand.run("ip", "addr", "add", address, "dev", cable);
      HostCommand.run("ip", "link", "set", cable, "up");
      return;
    }
    String host = namespace.get();
    HostCommand.run("ip", "link", "set", cable, "netns", host, "name", "eth0");
    HostCommand.run("ip", "-n", host, "addr", "add", address, "dev", "eth0");
    HostCommand.run("ip", "-n", host, "link", "set", "eth0", "up");
  }

  /** This machine's address as the hosts see it. */
  String gateway() {
    return prefix + 1;
  }

  @Override
  public String address(String host) {
    return prefix + (number(host) + 1);
  }

  @Override
  public String host(String host) {
    return name + "-" + host;
  }

  @Override
  public List<String> prefix(String host) {
    return List.of("ip", "netns", "exec", host(host));
  }

  /** Drops all packets from and to the host, silently. */
  public void cut(String host) {
    portState(host, DISABLED);
  }

  /** Undoes {@link #cut}. */
  public void heal(String host) {
    portState(host, FORWARDING);
  }

  private void portState(String host, String state) {
    HostCommand.run(
        "bridge", "-n", name + SWITCH, "link", "set", "dev", "p" + number(host), "state", state);
  }

  /**
   * Delays or drops packets from and to the host, by the arguments of {@code tc netem}: {@code
   * delay 50ms 10ms}, {@code loss 1%}; none resets it.
   *
   * @throws ClusterException if the kernel has no netem
   */
  void slow(String host, String... netem) {
    discipline(host(host), "eth0", netem);
    discipline(name + SWITCH, "p" + number(host), netem);
  }

  private static void discipline(String namespace, String device, String... netem) {
    List<String> command =
        new ArrayList<>(List.of("tc", "-n", namespace, "qdisc", "replace", "dev", device, "root"));
    if (netem.length == 0) {
      command.add("pfifo");
    } else {
      command.add("netem");
      command.addAll(Arrays.asList(netem));
    }
    Optional<String> failure = HostCommand.tryRun(command);
    if (failure.isPresent() && failure.get().contains("kind is unknown")) {
      throw new ClusterException("this kernel lacks netem (module sch_netem)");
    }
    failure.ifPresent(
        why -> {
          throw new ClusterException(why);
        });
  }

  private int number(String host) {
    Integer number = numbers.get(host);
    if (number == null) {
      throw new IllegalArgumentException(
          host + ": unknown host of network " + name + ": " + numbers.keySet());
    }
    return number;
  }

  static void remove(String name) {
    // A namespace without processes is deleted with its links.
    for (String line : HostCommand.run("ip", "netns", "list").lines().toList()) {
      String namespace = line.split(" ", 2)[0];
      if (namespace.startsWith(name + "-")) {
        HostCommand.run("ip", "netns", "del", namespace);
      }
    }
    HostCommand.tryRun(List.of("ip", "link", "del", name + "h0"));
  }

  @Override
  public void close() {
    remove(name);
  }
}
