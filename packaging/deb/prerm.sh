if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop millrace.service >/dev/null || true
fi
