/** Rows of address translation events, which show who had an address, not traffic. */
package io.millrace.wire.nat;
