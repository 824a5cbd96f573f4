# Ends what the parent started if the parent dies without doing so, even by kill -9.
#
# Plain programs such as redis-server cannot watch their parent, so one shell per JVM does it. Its stdin is a pipe from the
# parent that no other process holds, so the kernel closes it when the parent dies, for whatever reason. Its lines:
#   + pid    watch this process, the leader of its own group
#   - pid    this process has ended
#   d path   delete this temporary file or folder at the end
trap '' HUP INT TERM
pids=' '
set --
while read -r op arg; do
  case $op in
    +) pids="$pids$arg " ;;
    -) case $pids in *" $arg "*) pids="${pids%% "$arg" *} ${pids#* "$arg" }" ;; esac ;;
    d) set -- "$@" "$arg" ;;
  esac
done

signal() { kill "-$1" -- "-$2" 2>/dev/null || kill "-$1" "$2" 2>/dev/null; }
for pid in $pids; do
  signal TERM "$pid"
  signal CONT "$pid"
done
rounds=0
while [ "$rounds" -lt 50 ]; do
  left=
  for pid in $pids; do kill -0 "$pid" 2>/dev/null && left=1; done
  [ -n "$left" ] || break
  sleep 0.1
  rounds=$((rounds + 1))
done
for pid in $pids; do signal KILL "$pid"; done
[ "$#" -eq 0 ] || rm -rf -- "$@"
