case $1 in
  configure)
    # The JDK's classes as the JVM has them in memory, for faster starts. A second; it runs nothing of Millrace.
    /usr/lib/millrace/runtime/bin/java -Xshare:dump >/dev/null 2>&1 || true
    [ -d /var/lib/millrace ] || install -d -m 700 -o millrace -g millrace /var/lib/millrace
    # As debhelper does it: an administrator's "systemctl disable" or "mask" stays.
    deb-systemd-helper unmask millrace.service >/dev/null || true
    if deb-systemd-helper --quiet was-enabled millrace.service; then
      deb-systemd-helper enable millrace.service >/dev/null || true
    else
      deb-systemd-helper update-state millrace.service >/dev/null || true
    fi
    if [ -d /run/systemd/system ]; then
      systemctl --system daemon-reload >/dev/null || true
      deb-systemd-invoke "$(if [ -n "${2:-}" ]; then echo restart; else echo start; fi)" millrace.service >/dev/null || true
    fi
    ;;
esac
