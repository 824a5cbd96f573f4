package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.FailureLimit;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.OneTimeCodes;
import dev.tandem.server.access.Sessions;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.FormBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Begins and ends the sessions of browsers. */
@Controller
final class LoginController {

    static final String LOGIN = "/login";
    static final String LINK = "/login/link";

    private final KnownTokens tokens;
    private final Sessions sessions;
    private final OneTimeCodes codes;
    private final SessionCookies cookies;
    private final FailureLimit failures;
    private final LoginRecord record;
    private final Map<String, String> providers;

    /** @param providers the names of OpenID providers, by the paths that lead there */
    LoginController(
            KnownTokens tokens,
            Sessions sessions,
            OneTimeCodes codes,
            SessionCookies cookies,
            FailureLimit failures,
            LoginRecord record,
            Map<String, String> providers) {
        this.tokens = tokens;
        this.sessions = sessions;
        this.codes = codes;
        this.cookies = cookies;
        this.failures = failures;
        this.record = record;
        this.providers = providers;
    }

    @GetMapping("/")
    void home(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Caller caller = Callers.of(request);
        if (caller == null) {
            LocalPath.redirect(response, LOGIN);
        } else {
            LoginPages.send(response, HttpStatus.OK, LoginPages.home(caller, SessionCsrf.of(request)));
        }
    }

    @GetMapping(LOGIN)
    void form(@RequestParam(defaultValue = "/") String next, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (Callers.of(request) != null) {
            LocalPath.redirect(response, LocalPath.checked(next));
        } else {
            show(request, response, HttpStatus.OK, null, next);
        }
    }

    @GetMapping(LINK)
    void link(@RequestParam(defaultValue = "") String code, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        LoginPages.send(response, HttpStatus.OK, LoginPages.code(code, SessionCsrf.of(request)));
    }

    @PostMapping(LOGIN)
    void logIn(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Caller known = Callers.of(request);
        if (known != null && known.by() == Caller.By.NOTHING) {
            LocalPath.redirect(response, "/");
            return;
        }
        Map<String, String> form = FormBody.of(request);
        String next = form.getOrDefault("next", "/");
        String code = form.get("code");
        KnownTokens.Check check =
                code == null ? tokens.check(form.getOrDefault("token", "").strip()) : spent(code);
        if (check instanceof KnownTokens.Good good) {
            Caller caller = good.caller();
            begin(
                    new Caller(caller.name(), caller.role(), caller.queues(), caller.token(), Caller.By.SESSION),
                    request,
                    response);
            LocalPath.redirect(response, LocalPath.checked(next));
        } else if (check instanceof KnownTokens.Bad bad) {
            refuse(request, response, bad.reason(), next);
        } else {
            show(
                    request,
                    response,
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "The token cannot be checked: Redis has not answered since this server started. Try again.",
                    next);
        }
    }

    private KnownTokens.Check spent(String code) {
        Optional<Caller> caller = codes.spend(code);
        return caller.isPresent()
                ? new KnownTokens.Good(caller.get())
                : new KnownTokens.Bad("the link is not good any more. Make another one with ./tandem login --browser");
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

    private void refuse(HttpServletRequest request, HttpServletResponse response, String reason, String next)
            throws IOException {
        record.refused(request, reason);
        if (failures.isOverAfter(request.getRemoteAddr(), System.nanoTime())) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Integer.toString(FailureLimit.SECONDS_EACH));
            show(
                    request,
                    response,
                    HttpStatus.TOO_MANY_REQUESTS,
                    "Too many bad tokens came from this address. Wait for some seconds.",
                    next);
        } else {
            show(request, response, HttpStatus.UNAUTHORIZED, "The token is not accepted: " + reason + ".", next);
        }
    }

    private void show(
            HttpServletRequest request,
            HttpServletResponse response,
            HttpStatus status,
            @Nullable String failure,
            String next)
            throws IOException {
        LoginPages.send(
                response,
                status,
                LoginPages.login(failure, LocalPath.checked(next), SessionCsrf.of(request), providers));
    }

    @PostMapping("/logout")
    void logOut(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String secret = cookies.session(request);
        Caller caller = Callers.of(request);
        boolean ended = secret != null && sessions.close(secret);
        if (secret != null) {
            cookies.removeSession(request, response);
        }
        if (ended && caller != null) {
            record.done("logout", caller, request);
        }
        LocalPath.redirect(response, LOGIN);
    }
}
