/** Commands that generate and send gateway records. */
package io.millrace.cli.gateways;
