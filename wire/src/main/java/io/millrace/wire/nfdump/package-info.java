/** Flows of files that nfcapd of nfdump 1.6 and 1.7 writes. */
package io.millrace.wire.nfdump;
