package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Sessions;
import dev.tandem.server.api.Callers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Begins and ends the sessions of browsers, with their cookies, and records that. Thread-safe. */
final class BrowserSessions {

    private final Sessions sessions;
    private final SessionCookies cookies;
    private final LoginRecord record;

    BrowserSessions(Sessions sessions, SessionCookies cookies, LoginRecord record) {
        this.sessions = sessions;
        this.cookies = cookies;
        this.record = record;
    }

    /** Begins a session under a new secret, in place of the one that the browser had. */
    void begin(Caller caller, HttpServletRequest request, HttpServletResponse response) {
        String earlier = cookies.session(request);
        if (earlier != null) {
            sessions.close(earlier);
        }
        cookies.setSession(request, response, sessions.open(caller));
        record.done("login", caller, request);
    }

    /** Ends the session of a browser, if it has one. */
    void end(HttpServletRequest request, HttpServletResponse response) {
        String secret = cookies.session(request);
        Caller caller = Callers.of(request);
        boolean ended = secret != null && sessions.close(secret);
        if (secret != null) {
            cookies.removeSession(request, response);
        }
        if (ended && caller != null) {
            record.done("logout", caller, request);
        }
    }
}
