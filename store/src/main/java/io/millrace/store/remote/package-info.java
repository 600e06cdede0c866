/**
 * Access to the tables of one process's store for writers in other processes.
 *
 * <p>An embedded store's file belongs to one process, but on a cluster the sink's subtasks run in
 * others. {@link io.millrace.store.remote.StoreServer} makes the store available to them over TCP,
 * and a subtask writes with a {@link io.millrace.store.remote.RemoteSink}. If a subtask can write
 * to the directory of a table of flows, it writes the files itself ({@link
 * io.millrace.store.remote.RemoteFlowSink}), and the store commits them. Both ends use {@link
 * io.millrace.store.remote.StoreProtocol}. Queries use SQL over HTTP instead.
 *
 * <p>Clients with the store's secret can write and delete ({@link
 * io.millrace.store.remote.StoreSecret}); from others the server reads one short message only. The
 * protocol is not encrypted: expose the port to private networks only.
 */
package io.millrace.store.remote;
