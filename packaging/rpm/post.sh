# The JDK's classes as the JVM has them in memory, for faster starts. A second; it runs nothing of Millrace.
/usr/lib/millrace/runtime/bin/java -Xshare:dump >/dev/null 2>&1 || true
# The distribution's presets decide whether the service is enabled.
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  [ "$1" != 1 ] || systemctl --no-reload preset millrace.service || true
fi
