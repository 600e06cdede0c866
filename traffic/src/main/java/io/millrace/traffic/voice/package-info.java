/** Messages in cells and shares of voice channels of controllers that never were. */
package io.millrace.traffic.voice;
