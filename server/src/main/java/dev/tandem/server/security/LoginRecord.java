package dev.tandem.server.security;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.Caller;
import dev.tandem.server.logs.OperatorLog;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.springframework.http.HttpStatus;

/** Records who began and ended a session, and who could not log in. Thread-safe. */
final class LoginRecord {

    /** How many failed logins of a window the audit log gets. Everybody may try, so further ones are only counted in the log. */
    static final int MOST_FAILED = 20;

    static final Duration WINDOW = Duration.ofSeconds(10);

    private final OperatorLog log;
    private final AuditLog audit;
    private final InstantSource clock;
    private Instant windowEnds = Instant.EPOCH;
    private int failed;

    LoginRecord(OperatorLog log, AuditLog audit, InstantSource clock) {
        this.log = log;
        this.audit = audit;
        this.clock = clock;
    }

    void done(String action, Caller caller, HttpServletRequest request) {
        String from = request.getRemoteAddr();
        log.acted(
                action, action + " of '" + caller.name() + "' from " + from, new OperatorLog.Result(true, "done", ""));
        audit.record(
                AuditKind.LOGINS,
                AuditEntry.of(
                        clock.instant(), caller, from, action, "a session", HttpStatus.SEE_OTHER.value(), "done"));
    }

    /** Records a failed login, or a request with a bad token. @param reason without any secret */
    void refused(HttpServletRequest request, String reason) {
        String from = request.getRemoteAddr();
        log.acted("login", "login from " + from, new OperatorLog.Result(false, "refused", reason));
        Instant now = clock.instant();
        if (isRecorded(now)) {
            audit.record(
                    AuditKind.FAILED_LOGINS,
                    AuditEntry.of(
                            now,
                            null,
                            from,
                            "login",
                            "a session",
                            HttpStatus.UNAUTHORIZED.value(),
                            "refused: " + reason));
        }
    }

    private synchronized boolean isRecorded(Instant now) {
        if (!now.isBefore(windowEnds)) {
            windowEnds = now.plus(WINDOW);
            failed = 0;
        }
        failed++;
        return failed <= MOST_FAILED;
    }
}
