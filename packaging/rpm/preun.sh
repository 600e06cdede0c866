if [ "$1" = 0 ]; then
  rm -f /usr/lib/millrace/millrace.jar.jsa # that of "millrace prelink"
  [ ! -d /run/systemd/system ] || systemctl --no-reload disable --now millrace.service || true
fi
