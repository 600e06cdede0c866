/**
 * Packet counting at line rate: headers in memory, replayed through two steps of the engine,
 * compared with the same loop without an engine.
 */
package io.millrace.lab.packets;
