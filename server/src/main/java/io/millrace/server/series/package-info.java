/** Gaps of series in the API. */
package io.millrace.server.series;
