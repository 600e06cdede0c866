/** Reader of the flow files of nfcapd (nfdump 1.6 and 1.7). */
package io.millrace.wire.nfdump;
