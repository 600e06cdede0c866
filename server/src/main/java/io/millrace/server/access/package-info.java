/** Who may ask, and how one knows whom one asks: tokens and certificates. */
package io.millrace.server.access;
