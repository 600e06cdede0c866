/** Alert history of the API. */
package io.millrace.server.alerts;
