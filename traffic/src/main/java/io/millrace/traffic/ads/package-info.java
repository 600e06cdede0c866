/** Synthetic events of an advertisement network. */
package io.millrace.traffic.ads;
