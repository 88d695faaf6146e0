#!/bin/sh
# Works through the tasks of this repository: one run of an agent and one of the checks per iteration.
# Usage: sh .ctx/loop.sh [ITERATIONS], 100 by default. Written by `{ctx} loop`; edit it as you like.
#   AGENT  a command that reads a prompt on stdin and answers on stdout
#   GUARD  the command of the checks; with it failing no task is done. Both see the task's id as $TASK
#   NAME   of this loop; loops with different names never work on the same task
#   STUCK  stop or skip: what to do when an agent says that it needs a person
#   PAUSE  seconds to wait after an interrupted run (rate limit, time-out); five in a row end the loop
set -u
cd "$(git rev-parse --show-toplevel 2>/dev/null || pwd)" || exit 2
[ -n "${AGENT:-}" ] || AGENT={agent}
[ -n "${GUARD:-}" ] || GUARD={guard}
NAME=${NAME:-loop-$$} STUCK=${STUCK:-stop} PAUSE=${PAUSE:-60} LIMIT=${1:-100}
WORK=.runner/iterations/$NAME
mkdir -p "$WORK" || exit 2
TASK= COUNT=0 INTERRUPTED=0
export TASK

ctx() {
  command {ctx} "$@"
}

end() {
  trap '' INT TERM HUP
  [ -z "$TASK" ] || ctx --quiet record "$TASK" --status interrupted --summary 'the loop was stopped' > /dev/null
  echo "loop: $2"
  exit "$1"
}
trap 'end 130 stopped' INT TERM HUP

while [ "$COUNT" -lt "$LIMIT" ]; do
  TASK=$(ctx --quiet tasks --next --claim "$NAME")
  CODE=$?
  [ "$CODE" -ne 1 ] || end 0 "no task left after $COUNT iterations"
  [ "$CODE" -eq 0 ] || end 2 'the tasks cannot be read'
  COUNT=$((COUNT + 1))
  ctx --quiet prompt "$TASK" > "$WORK/prompt.md" || end 2 "no prompt for $TASK"
  sh -c "$AGENT" < "$WORK/prompt.md" > "$WORK/answer.txt" 2> "$WORK/agent.log"
  AGENT_EXIT=$?
  sh -c "$GUARD" < /dev/null > "$WORK/guard.log" 2>&1
  GUARD_EXIT=$?
  STATUS=$(ctx --quiet record "$TASK" --answer "$WORK/answer.txt" --exit "$AGENT_EXIT" --guard-exit "$GUARD_EXIT" --log "$WORK/guard.log") || end 2 "no record of $TASK"
  echo "loop: $COUNT $TASK $STATUS (agent exit $AGENT_EXIT, guard exit $GUARD_EXIT)"
  [ "$STATUS/$STUCK" != stuck/stop ] || { TASK= && end 3 'an agent is stuck; its summary is in .ctx/ledger/'; }
  TASK=
  [ "$STATUS" = interrupted ] || { INTERRUPTED=0 && continue; }
  INTERRUPTED=$((INTERRUPTED + 1))
  [ "$INTERRUPTED" -lt 5 ] || end 4 'five interrupted runs in a row'
  sleep "$PAUSE"
done
end 5 "the limit of $LIMIT iterations is reached"
