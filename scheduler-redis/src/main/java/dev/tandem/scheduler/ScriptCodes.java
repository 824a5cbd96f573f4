package dev.tandem.scheduler;

import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.TaskEnd;
import dev.tandem.task.store.TaskIdentity;

/** The codes of {@code include/constants.lua}, by the same names, and what they mean in Java. */
final class ScriptCodes {

    static final int REPLY_OK = 0;
    static final int REPLY_APPLIED = 1;
    static final int REPLY_GAP = 2;
    static final int REPLY_FENCED = 3;
    static final int REPLY_REFUSED = 4;

    static final char VERDICT_SUCCESS = 'K';
    static final char VERDICT_EXPIRED = 'E';
    static final char VERDICT_CANCELLED = 'C';
    static final char VERDICT_RETRY = 'R';
    static final char VERDICT_DEAD_HALT = 'H';
    static final char VERDICT_DEAD_SKIP = 'P';
    static final char VERDICT_DEAD_DRAIN = 'D';
    static final char VERDICT_RETURNED = 'B';

    static final int SETTLE_OPENED = 1;
    static final int SETTLE_DONE = 2;
    static final int SETTLE_REFUSED = 3;
    static final int SETTLE_NEXT = 4;

    static final int CLAIM_LAPSED_BEFORE = 1;
    static final int CLAIM_DONE = 2;
    static final int CLAIM_KEY_BLOCKED = 3;

    static final int RUN_CLAIMED = 0;
    static final int RUN_ENDED = 1;
    static final int RUN_UNKNOWN = 2;

    static final char MOVE_SCHEDULE = 'S';
    static final char MOVE_PARK = 'P';
    static final char MOVE_ADOPT = 'A';
    static final char MOVE_BURY = 'B';
    static final char MOVE_CANCEL = 'C';
    static final char MOVE_JOIN_LINE = 'L';

    static final char HANDOVER_OK = 'O';
    static final char HANDOVER_DONE = 'D';
    static final char HANDOVER_OPEN = 'P';
    static final char HANDOVER_FULL = 'F';
    static final char HANDOVER_GONE = 'G';
    static final char HANDOVER_NO_ROOM = 'M';

    static final char BLOCKED_BY_HEAD = 'H';
    static final char BLOCKED_BY_OTHER_OWNER = 'F';
    static final char BLOCKED_BY_REDELIVERY = 'R';
    static final char BLOCKED_BY_HALT = 'X';

    static final int CHANGE_NOT_FOUND = 0;
    static final int CHANGE_DONE = 1;
    static final int CHANGE_ACTIVE = 2;
    static final int CHANGE_UNFINISHED = 3;
    static final int CHANGE_OTHER_STATE = 4;
    static final int CHANGE_HALTS_KEY = 5;
    static final int CHANGE_NOT_HALTED = 6;
    static final int CHANGE_STALE = 7;

    static final int OPERATION_BEGUN = 0;
    static final int OPERATION_KNOWN = 1;
    static final int OPERATION_DIFFERS = 2;
    static final int OPERATION_NO_ROOM = 3;
    static final int OPERATION_STOPPING = 0;
    static final int OPERATION_ENDED = 1;
    static final int OPERATION_UNKNOWN = 2;
    static final int MAX_CHANGED_TASKS = 100;
    static final int MAX_DEAD_GROUPS = 500;

    static final String DELETE_ANY = "";
    static final String DELETE_DEAD = "dead";
    static final String DELETE_NOT_HALTING = "not-halting";
    static final String DELETE_WAITING = "waiting";
    static final String CHANGE_FORCED = "force";
    static final String CHANGE_MADE = "made";

    static final String NO_INCARNATION = "-1";
    static final String DRAIN_FIELD = "drain:";

    /** Names all executors in a message that says who should ask again. */
    static final String ALL_EXECUTORS = "*";

    static final String NO_REVISION = LimitOverride.NO_REVISION;

    /** Where a drain goes on. */
    static final String GO_ON_BEGUN = "begun";

    static final String GO_ON_ALIVE = "alive";
    static final String GO_ON_NOTED = "noted";
    static final int NO_MARK = -1;
    static final int AWAITS_REDELIVERY = -2;

    static final char DEDUP_ASK = 'A';
    static final char DEDUP_BEGIN = 'B';
    static final char DEDUP_SUCCEEDED = 'S';
    static final char DEDUP_FAILED = 'F';
    static final char DEDUP_LATER = 'L';

    static final char DEDUP_FIRST = 'F';
    static final char DEDUP_REPLACE = 'R';
    static final char DEDUP_KEEP_LAST = 'K';

    static final char BEARER_WAITS = 'w';
    static final char BEARER_BEGUN = 'r';
    static final char BEARER_DONE = 'd';
    static final char BEARER_FAILED = 'f';
    static final char BEARER_AWAITED = 'n';

    static final int IDENTITY_OF_CONTENT = 0;
    static final int IDENTITY_OF_MESSAGE = 1;
    static final int IDENTITY_OF_RECORD = 2;

    static final int DEDUP_GO = 0;
    static final int DEDUP_DUPLICATE = 1;
    static final int DEDUP_DONE = 2;
    static final int DEDUP_WAIT = 3;
    static final int DEDUP_NOTED = 4;

    static final char DEPENDENCY_ASK = 'A';
    static final char DEPENDENCY_LATER = 'L';
    static final char DEPENDENCY_RELEASED = 'R';
    static final char DEPENDENCY_OVER = 'O';

    static final int DEPENDENCY_SUCCEEDED = 0;
    static final int DEPENDENCY_FAILED = 1;
    static final int DEPENDENCY_OPEN = 2;
    static final int DEPENDENCY_UNKNOWN = 3;
    static final int DEPENDENCY_NOTED = 4;

    static final int MAX_PROGRESS_BYTES = 131_072;

    static final char FAN_OUT_OPEN = 'O';
    static final char FAN_OUT_NOTE = 'N';
    static final char FAN_OUT_SEAL = 'S';
    static final char FAN_OUT_ABANDON = 'A';
    static final char FAN_OUT_CANCEL = 'C';
    static final char FAN_OUT_TELL = 'T';
    static final char FAN_OUT_ASK = 'Q';
    static final char FAN_OUT_BEGIN = 'B';
    static final char FAN_OUT_CLAIM = 'L';
    static final char FAN_OUT_FINISH = 'F';
    static final char FAN_OUT_POSTPONE = 'P';
    static final char FAN_OUT_VIEW = 'V';
    static final char FAN_OUT_NEST = 'M';
    static final char FAN_OUT_END = 'E';
    static final char FAN_OUT_WITHIN = 'W';
    static final char FAN_OUT_SUCCEEDED = 'S';
    static final char FAN_OUT_FAILED = 'F';
    static final char FAN_OUT_CANCELLED = 'C';

    private ScriptCodes() {}

    /** Returns the number that scripts have for a mark: an offset, a page, or one of the two codes below 0. */
    static long mark(SettledMark mark) {
        if (mark instanceof SettledMark.Offset offset) {
            return offset.offset();
        } else if (mark instanceof SettledMark.OnPage page) {
            return page.number();
        }
        return mark == SettledMark.NONE ? NO_MARK : AWAITS_REDELIVERY;
    }

    static Standing standing(int code) {
        return switch (code) {
            case RUN_CLAIMED -> Standing.CLAIMED;
            case RUN_ENDED -> Standing.ENDED;
            case RUN_UNKNOWN -> Standing.UNKNOWN;
            default -> throw unknown("standing of a run", code);
        };
    }

    static String incarnation(Incarnation incarnation) {
        return incarnation instanceof Incarnation.OfLog log ? Long.toString(log.number()) : NO_INCARNATION;
    }

    static char verdict(Verdict verdict) {
        if (verdict instanceof Verdict.Success success) {
            return end(success.end());
        } else if (verdict instanceof Verdict.Retry) {
            return VERDICT_RETRY;
        } else if (verdict instanceof Verdict.Dead dead) {
            return switch (dead.deadHead()) {
                case HALT -> VERDICT_DEAD_HALT;
                case SKIP -> VERDICT_DEAD_SKIP;
                case DRAIN -> VERDICT_DEAD_DRAIN;
            };
        }
        return VERDICT_RETURNED;
    }

    static char end(TaskEnd end) {
        return switch (end) {
            case SUCCEEDED -> VERDICT_SUCCESS;
            case EXPIRED -> VERDICT_EXPIRED;
            case CANCELLED -> VERDICT_CANCELLED;
        };
    }

    static char dedupMode(DedupPolicy.Mode mode) {
        return switch (mode) {
            case FIRST -> DEDUP_FIRST;
            case REPLACE -> DEDUP_REPLACE;
            case KEEP_LAST -> DEDUP_KEEP_LAST;
        };
    }

    static int identityOf(TaskIdentity task) {
        return task.isRecord() ? IDENTITY_OF_RECORD : task.named() ? IDENTITY_OF_MESSAGE : IDENTITY_OF_CONTENT;
    }

    static char dedupEnding(DedupRequest.Ending ending) {
        return switch (ending) {
            case SUCCEEDED -> DEDUP_SUCCEEDED;
            case FAILED -> DEDUP_FAILED;
            case LATER -> DEDUP_LATER;
        };
    }

    static DedupKeyView.Bearer bearer(char code) {
        return switch (code) {
            case BEARER_WAITS -> DedupKeyView.Bearer.WAITS;
            case BEARER_BEGUN -> DedupKeyView.Bearer.BEGUN;
            case BEARER_DONE -> DedupKeyView.Bearer.DONE;
            case BEARER_FAILED -> DedupKeyView.Bearer.FAILED;
            default -> throw unknown("state of a bearer", code);
        };
    }

    static DependencyAnswer.State awaited(int code) {
        return switch (code) {
            case DEPENDENCY_SUCCEEDED -> DependencyAnswer.State.SUCCEEDED;
            case DEPENDENCY_FAILED -> DependencyAnswer.State.FAILED;
            case DEPENDENCY_OPEN -> DependencyAnswer.State.OPEN;
            case DEPENDENCY_UNKNOWN -> DependencyAnswer.State.UNKNOWN;
            case DEPENDENCY_NOTED -> DependencyAnswer.State.NOTED;
            default -> throw unknown("state of a task that is waited for", code);
        };
    }

    static char move(Move move) {
        if (move instanceof Move.Schedule) {
            return MOVE_SCHEDULE;
        } else if (move instanceof Move.Park) {
            return MOVE_PARK;
        } else if (move instanceof Move.Adopt) {
            return MOVE_ADOPT;
        } else if (move instanceof Move.JoinLine) {
            return MOVE_JOIN_LINE;
        }
        return move instanceof Move.Bury ? MOVE_BURY : MOVE_CANCEL;
    }

    static HandOverResult handOverResult(char code) {
        return switch (code) {
            case HANDOVER_OK -> HandOverResult.OK;
            case HANDOVER_DONE -> HandOverResult.DONE;
            case HANDOVER_OPEN -> HandOverResult.OPEN;
            case HANDOVER_FULL -> HandOverResult.FULL;
            case HANDOVER_GONE -> HandOverResult.GONE;
            case HANDOVER_NO_ROOM -> HandOverResult.NO_ROOM;
            default -> throw unknown("hand-over result", code);
        };
    }

    static BlockReason blockReason(char code) {
        return switch (code) {
            case BLOCKED_BY_HEAD -> BlockReason.HEAD;
            case BLOCKED_BY_OTHER_OWNER -> BlockReason.OTHER_OWNER;
            case BLOCKED_BY_REDELIVERY -> BlockReason.REDELIVERY;
            case BLOCKED_BY_HALT -> BlockReason.HALTED;
            default -> throw unknown("block reason", code);
        };
    }

    static String deletion(Admin.Deletion which) {
        return switch (which) {
            case ANY -> DELETE_ANY;
            case DEAD -> DELETE_DEAD;
            case DEAD_NOT_HALTING -> DELETE_NOT_HALTING;
            case WAITING -> DELETE_WAITING;
        };
    }

    static Admin.Result changeResult(int code) {
        return switch (code) {
            case CHANGE_DONE -> Admin.Result.DONE;
            case CHANGE_NOT_FOUND -> Admin.Result.NOT_FOUND;
            case CHANGE_ACTIVE -> Admin.Result.ACTIVE;
            case CHANGE_OTHER_STATE -> Admin.Result.OTHER_STATE;
            case CHANGE_HALTS_KEY -> Admin.Result.HALTS_KEY;
            case CHANGE_NOT_HALTED -> Admin.Result.NOT_HALTED;
            default -> throw unknown("change result", code);
        };
    }

    static IllegalStateException unknown(String what, Object code) {
        return new IllegalStateException("A script returned the unknown " + what + " '" + code + "'");
    }
}
