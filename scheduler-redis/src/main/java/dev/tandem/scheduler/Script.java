package dev.tandem.scheduler;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

/** The scripts. Each is a file of its name in lower case beside this class, whose header gives arguments and reply. */
enum Script {
    ACQUIRE,
    READ_ACQUIRED,
    SETTLE_AND_CLAIM,
    TAKE_CUSTODY,
    CLAIM_DUE,
    DECLINE_OFFERS,
    READ_LINES,
    RENEW_LEASES,
    EXPIRE_LEASES,
    RECORD_COMMIT,
    ABANDON_POSITION,
    RELEASE,
    KEEP_CLAIMS,
    SETTLE_LATE,
    DECLARE_DEAD,
    HOLD_EXECUTOR_NAME,
    REGISTER_PROCESS,
    LIST_KNOWN_POSITIONS,
    FORWARD_REDELIVERIES,
    WRITE_BARRIER,
    ADMINISTER,
    CHANGE_TASKS,
    SCAN_TASKS,
    BEGIN_OPERATION,
    CLAIM_OPERATION,
    NOTE_OPERATION,
    STOP_OPERATION,
    INSPECT,
    SAVE_CHECKPOINT,
    READ_CHECKPOINT,
    WRITE_PROGRESS,
    FIND_SUCCESSES,
    TRIM_HISTORY,
    TRIM_SUCCESSES,
    TAKE_EVENTS,
    TRIM_EVENTS,
    TRIM_NOTES,
    DEDUPLICATE,
    SHOW_DEDUP_KEY,
    FREE_DEDUP_KEY,
    ASK_DEPENDENCIES,
    LIST_DEPENDENTS,
    SHOW_DEPENDENCY,
    EXPECT_WAITS,
    WAKE_TASKS,
    SHARE_PERMITS,
    SHOW_PERMITS,
    CHANGE_LIMIT,
    RESERVE_TOKENS,
    SHOW_RATE,
    LOOK_BACK,
    CHANGE_PARTITION_HISTORY,
    ANNOUNCE_SCHEDULES,
    CLAIM_FIRINGS,
    MARK_FIRINGS,
    CHANGE_SCHEDULE,
    DEFINE_SCHEDULE,
    READ_CREATED_SCHEDULES,
    FAN_OUT,
    POST_MESSAGES,
    TAKE_MESSAGES,
    ADD_ACCESS_TOKEN,
    REMOVE_ACCESS_TOKEN,
    BEGIN_REQUEST,
    END_REQUEST,
    TRIM_REQUESTS,
    CHECK_RIGHTS,
    ANSWER_REQUEST,
    FORGET_REQUESTS,
    ADD_STATISTICS,
    READ_STATISTICS,
    READ_DEAD_GROUPS;

    private final byte[] source;
    private final byte[] sha;

    Script() {
        source = new ScriptAssembler(Map.of()).assemble(file()).getBytes(StandardCharsets.UTF_8);
        sha = sha1(source).getBytes(StandardCharsets.US_ASCII);
    }

    String file() {
        return name().toLowerCase(Locale.ROOT) + ".lua";
    }

    byte[] source() {
        return source;
    }

    /** Returns the hash by which EVALSHA names it, in hexadecimal. */
    byte[] sha() {
        return sha;
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
