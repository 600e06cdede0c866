/**
 * What somebody types, and what it may mean: addresses, names, ports, interfaces, as suggestions.
 */
package io.millrace.server.search;
