/** Files that nfcapd of nfdump 1.6 and 1.7 writes, as columns of flows. */
package io.millrace.wire.nfdump;
