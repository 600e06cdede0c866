/** Synthetic messages in cells, and shares of controllers' voice channels. */
package io.millrace.traffic.voice;
