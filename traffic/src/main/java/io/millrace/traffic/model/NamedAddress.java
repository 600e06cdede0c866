package io.millrace.traffic.model;

/**
 * An address and its reverse DNS name.
 *
 * @param high upper half of the address, as {@link io.millrace.wire.block.Addresses}
 * @param low lower half
 * @param name domain name without the last dot
 */
public record NamedAddress(long high, long low, String name) {}
