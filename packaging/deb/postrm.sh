case $1 in
  remove)
    [ ! -d /run/systemd/system ] || systemctl --system daemon-reload >/dev/null || true
    deb-systemd-helper mask millrace.service >/dev/null || true
    ;;
  purge)
    rm -rf /var/lib/millrace
    rmdir /etc/millrace 2>/dev/null || true
    deb-systemd-helper purge millrace.service >/dev/null || true
    deb-systemd-helper unmask millrace.service >/dev/null || true
    ;;
esac
