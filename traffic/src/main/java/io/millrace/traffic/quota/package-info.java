/** Synthetic usage records and streaming events of subscribers. */
package io.millrace.traffic.quota;
