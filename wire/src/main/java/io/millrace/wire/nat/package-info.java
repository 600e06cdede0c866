/**
 * Events of address translation, as rows of their own: they say who had an address, not traffic.
 */
package io.millrace.wire.nat;
