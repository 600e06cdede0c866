# The distribution's presets decide whether the service is enabled.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  [ "$1" != 1 ] || systemctl --no-reload preset millrace.service || true
fi
