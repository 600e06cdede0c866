/** Authorization and identity: tokens and certificates. */
package io.millrace.server.access;
