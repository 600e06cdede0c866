/** Rows of address translation events, which record who used an address; they are not traffic. */
package io.millrace.wire.nat;
