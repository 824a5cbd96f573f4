# Starts one supervised program: sh -c <this script> name program arguments...
#
# The script waits for a line on its stdin before it becomes the program. The parent sends the line only when the reaper
# knows this pid. If the parent dies before that, the read fails and the shell ends, so nothing is left behind.
#
# setsid puts the program into a session of its own, so that Ctrl-C in a terminal reaches only the parent, which then
# stops its brokers in order. Where there is no setsid (macOS), Ctrl-C reaches the brokers too and they end a bit early.
# Every step is an exec, so the pid that the parent holds is the pid of the program.
#
# The line is "input" for a program that reads its stdin. The others get an empty one.
read -r go || exit 125
[ "$go" = input ] || exec </dev/null
if command -v setsid >/dev/null 2>&1; then
  exec setsid "$@"
fi
exec "$@"
