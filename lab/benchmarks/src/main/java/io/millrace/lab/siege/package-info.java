/**
 * Millrace under attack: legitimate senders and readers go on while strangers do their worst, one
 * way after the other, all together, and in mixes by chance.
 *
 * <p>{@link io.millrace.lab.siege.SiegeBenchmark} says what must hold. An attack is an {@link
 * io.millrace.lab.siege.Attack}, and {@link io.millrace.lab.siege.Attacks} lists them; a new one is
 * a class and a line of the list. Each has an {@link io.millrace.lab.siege.Attacker}, an address of
 * its own on loopback, from which all that it sends goes out.
 */
package io.millrace.lab.siege;
