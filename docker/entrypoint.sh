#!/bin/sh
# The image's start. TANDEM_RABBIT_URI_FILE, TANDEM_REDIS_URI_FILE: files that hold the setting, so that a secret need
# not stand in the environment of a compose file or in `docker inspect`.
set -eu
for name in TANDEM_RABBIT_URI TANDEM_REDIS_URI; do
  eval "file=\${${name}_FILE:-}"
  if [ -n "$file" ]; then
    [ -r "$file" ] || { echo "${name}_FILE is '$file': there is no such file, or it can't be read" >&2; exit 1; }
    export "$name=$(cat "$file")"
    unset "${name}_FILE" # the server would not know this setting
  fi
done
# Programs of the handler cmd get their arguments in the charset of the locale.
[ -n "${LC_ALL:-}${LC_CTYPE:-}${LANG:-}" ] || export LANG=C.UTF-8
# The JVM ignores an archive that does not fit.
archive=/opt/tandem/classes.archive
[ -r "$archive" ] || echo "There is no $archive, so the server starts more slowly" >&2
# exec: signals reach Java, which drains before it ends.
# shellcheck disable=SC2086 # options are words
exec java "-XX:SharedArchiveFile=$archive" ${TANDEM_JAVA_OPTS:-} -cp "$(cat /opt/tandem/class-path)" \
  dev.tandem.server.TandemServer "$@"
