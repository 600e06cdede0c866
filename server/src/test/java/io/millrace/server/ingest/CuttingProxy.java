package io.millrace.server.ingest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Proxy between clients and a server that can break all connections. */
final class CuttingProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  CuttingProxy(int target) throws IOException {
    this.target = target;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    run(this::accept);
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "cutting-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = keep(listener.accept());
        Socket server = keep(new Socket(InetAddress.getLoopbackAddress(), target));
        run(() -> pass(client, server));
        run(() -> pass(server, client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private Socket keep(Socket socket) {
    open.add(socket);
    return socket;
  }

  private static void pass(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // cut, or closed by client or server
    }
  }

  /** Breaks all connections; bytes in transit are lost. New connections are forwarded again. */
  void cut() {
    for (Socket socket : open) {
      try {
        socket.setSoLinger(true, 0); // a reset, not an orderly end
        socket.close();
      } catch (IOException e) {
        // closed already
      }
    }
    open.removeIf(Socket::isClosed);
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      // the listener is closed
    }
    cut();
  }
}
