if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop millrace.service >/dev/null || true
fi
# Recorded classes belong to one jar and one JVM.
rm -f /usr/lib/millrace/millrace.jar.jsa /usr/lib/millrace/runtime/lib/server/classes.jsa
