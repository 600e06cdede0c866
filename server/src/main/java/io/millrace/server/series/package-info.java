/** What the API adds to series of the store. */
package io.millrace.server.series;
