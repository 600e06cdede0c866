/** Search: suggestions of addresses, names, ports and interfaces for a typed text. */
package io.millrace.server.search;
