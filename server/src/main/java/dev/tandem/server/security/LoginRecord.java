package dev.tandem.server.security;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.Caller;
import dev.tandem.server.logs.OperatorLog;
import jakarta.servlet.http.HttpServletRequest;
import java.time.InstantSource;
import org.springframework.http.HttpStatus;

/** Records who began and ended a session. Whoever could not log in is in the server's log only: nobody knows who that was. */
final class LoginRecord {

    private final OperatorLog log;
    private final AuditLog audit;
    private final InstantSource clock;

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
                new AuditEntry(
                        "",
                        clock.instant(),
                        caller.name(),
                        caller.role().text(),
                        caller.token() == null ? "" : caller.token(),
                        caller.by().text(),
                        from,
                        action,
                        "a session",
                        HttpStatus.SEE_OTHER.value(),
                        "done"),
                // Everybody may log in as often as they like, which must not push out what was changed.
                true);
    }

    void refused(HttpServletRequest request, String reason) {
        log.acted("login", "login from " + request.getRemoteAddr(), new OperatorLog.Result(false, "refused", reason));
    }
}
