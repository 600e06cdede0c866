/**
 * What all export protocols have in common: recognising them by content, and reading from the first
 * bytes who sent a datagram and which number it has.
 */
package io.millrace.wire.export;
