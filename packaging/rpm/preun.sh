if [ "$1" = 0 ]; then
  rm -f /usr/lib/millrace/millrace.jar.jsa /usr/lib/millrace/runtime/lib/server/classes.jsa # recorded classes
  [ ! -d /run/systemd/system ] || systemctl --no-reload disable --now millrace.service || true
fi
