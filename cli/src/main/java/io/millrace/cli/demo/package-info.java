/** {@code millrace demo}: the whole way with generated traffic, and a screen that shows it. */
package io.millrace.cli.demo;
