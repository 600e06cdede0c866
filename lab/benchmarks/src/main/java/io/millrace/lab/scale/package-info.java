/**
 * What more processes bring: TaskManagers and workers of Trino, each limited to a part of a core so
 * that several of them fit on this machine as they would on hosts of their own.
 */
package io.millrace.lab.scale;
