# Starts one supervised program: sh -c <this> name program arguments...
#
# It waits for a line on its stdin before it becomes the program. The parent sends that line only after the reaper
# knows this pid, so a parent that dies in between leaves nothing behind: the read fails and the shell ends.
# setsid puts the program into a session of its own, so that Ctrl-C in a terminal reaches only the parent, which then
# stops its brokers in order. Where there is no setsid (macOS), brokers see Ctrl-C too and end a little early.
# Every step is an exec, so the pid that the parent holds is the program's own.
# The line says "input" for a program that goes on reading from there; others read nothing.
read -r go || exit 125
[ "$go" = input ] || exec </dev/null
if command -v setsid >/dev/null 2>&1; then
  exec setsid "$@"
fi
exec "$@"
