# The user that owns the data. It stays when the package is removed, so that its number is not given to another.
getent passwd millrace >/dev/null ||
  useradd --system --user-group --home-dir /var/lib/millrace --no-create-home --shell /usr/sbin/nologin millrace
