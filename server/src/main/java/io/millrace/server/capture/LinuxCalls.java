package io.millrace.server.capture;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** C library calls for packet sockets. On an error, each throws {@link LastErrorException}. */
final class LinuxCalls {
  static final int AF_PACKET = 17;
  static final int SOCK_RAW = 3;
  static final int SOCK_DGRAM = 2;
  static final int SOCK_CLOEXEC = 0x80000;
  static final int SOL_SOCKET = 1;
  static final int SO_ERROR = 4;
  static final int SO_ATTACH_FILTER = 26;
  static final int PROT_READ_WRITE = 3;
  static final int MAP_SHARED = 1;
  static final short POLLIN = 1;
  static final short POLLERR = 8;
  static final int EPERM = 1;
  static final int EINTR = 4;

  static {
    Native.register(LinuxCalls.class, "c");
  }

  private LinuxCalls() {}

  static native int socket(int domain, int type, int protocol) throws LastErrorException;

  static native int setsockopt(int fd, int level, int name, Pointer value, int length)
      throws LastErrorException;

  static native int getsockopt(int fd, int level, int name, Pointer value, Pointer length)
      throws LastErrorException;

  static native int bind(int fd, Pointer address, int length) throws LastErrorException;

  static native Pointer mmap(
      Pointer wanted, long length, int protection, int flags, int fd, long offset)
      throws LastErrorException;

  static native int munmap(Pointer start, long length) throws LastErrorException;

  static native int poll(Pointer descriptors, long count, int timeoutMillis)
      throws LastErrorException;

  static native int close(int fd) throws LastErrorException;

  static native String strerror(int number);
}
