"""Leases tasks of a queue and works on them. usage: pull_worker.py SERVER QUEUE [--until-idle]

TANDEM_TOKEN has a token with the role worker. Needs Python 3.8 and nothing else.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request

SERVER, QUEUE = sys.argv[1:3]
UNTIL_IDLE = "--until-idle" in sys.argv
NAME = f"{socket.gethostname()}-{os.getpid()}"

held = {}  # the leases of the tasks that we have, and whether we have lost them meanwhile
lock = threading.Lock()
stopping = threading.Event()


class Hopeless(Exception):
    """The task can never succeed."""


def handle(task):
    """Does the work, and returns the result. What it raises is the error of a failed attempt."""
    order = task["payload"]
    if "order" not in order:
        raise Hopeless("the payload has no order")
    if order.get("flaky") and task["attempt"] == 1:
        raise RuntimeError("this one fails the first time")
    print("done", task.get("key"), order["order"], flush=True)
    return {"shipped": order["order"]}


def say(verb, body, timeout=30):
    """Sends a request until there is an answer. The same one may be sent again: it is not done twice."""
    request = urllib.request.Request(
        f"{SERVER}/api/v1/queues/{QUEUE}/pull/{verb}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("TANDEM_TOKEN", "")},
    )
    pause = 0.5
    while True:
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                return error.code, json.load(error)
            reason = error
        except (OSError, json.JSONDecodeError) as error:
            reason = error
        if stopping.is_set() and verb == "lease":
            return 503, {}
        print(f"{verb}: {reason}, trying again", file=sys.stderr)
        time.sleep(pause)
        pause = min(2 * pause, 10)


def end(verb, task, **more):
    with lock:
        held.pop(task["lease"], None)
    status, answer = say(verb, {"lease": task["lease"], **more})
    if status >= 300:
        # Somebody else has the task by now, or an operator has cancelled it.
        print(f"{verb}: {answer.get('detail')}", file=sys.stderr)


def keep():
    """Extends all leases long before they run out."""
    while True:
        time.sleep(10)
        with lock:
            leases = [{"lease": lease} for lease, lost in held.items() if not lost]
        if leases:
            status, answer = say("extend", {"leases": leases})
            for lost in answer.get("lost", []):
                with lock:
                    if lost["lease"] in held:
                        held[lost["lease"]] = True


def work_on(task):
    if held.get(task["lease"]):
        end("release", task)  # It is lost, so this only says why.
    elif stopping.is_set():
        end("release", task)
    else:
        try:
            end("finish", task, result=handle(task))
        except Hopeless as reason:
            print(f"buried {task.get('id') or task['ref']}: {reason}", file=sys.stderr, flush=True)
            end("bury", task, reason=str(reason))
        except Exception as error:
            print(f"failed {task.get('id') or task['ref']}: {error}", file=sys.stderr, flush=True)
            end("fail", task, error=f"{type(error).__name__}: {error}")


def main():
    signal.signal(signal.SIGTERM, lambda *signals: stopping.set())
    signal.signal(signal.SIGINT, lambda *signals: stopping.set())
    threading.Thread(target=keep, daemon=True).start()
    while not stopping.is_set():
        wait = "2s" if UNTIL_IDLE else "20s"
        status, answer = say("lease", {"max": 10, "wait": wait, "leaseTime": "30s", "worker": NAME}, timeout=40)
        if status != 200:
            sys.exit(f"lease: {answer.get('detail')}. {answer.get('remedy')}")
        tasks = answer["tasks"]
        with lock:
            held.update((task["lease"], False) for task in tasks)
        for task in tasks:
            work_on(task)
        if UNTIL_IDLE and not tasks:
            break


main()
