/**
 * Millrace under attack: legitimate clients continue while attackers run each attack alone, all at
 * once, and in random mixes.
 *
 * <p>{@link io.millrace.lab.siege.SiegeBenchmark} describes the guarantees. {@link
 * io.millrace.lab.siege.Attacks} lists the attacks; a new one is an {@link
 * io.millrace.lab.siege.Attack} and a line of the list. Each {@link io.millrace.lab.siege.Attacker}
 * sends from its own loopback address.
 */
package io.millrace.lab.siege;
