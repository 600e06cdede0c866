/** Commands about gateways: data sets are made, and sent to a server. */
package io.millrace.cli.gateways;
