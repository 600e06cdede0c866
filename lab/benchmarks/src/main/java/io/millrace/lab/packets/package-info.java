/**
 * Packets counted at line rate: headers in memory, replayed through two steps of the engine, next
 * to the same loop without any engine.
 */
package io.millrace.lab.packets;
