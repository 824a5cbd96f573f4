package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.FailureLimit;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.OneTimeCodes;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.FormBody;
import dev.tandem.server.words.Sentence;
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

/** Lets browsers log in and out: by a token, or by a link. */
@Controller
final class LoginController {

    static final String LOGIN = "/login";
    static final String LINK = "/login/link";

    private final KnownTokens tokens;
    private final BrowserSessions sessions;
    private final OneTimeCodes codes;
    private final FailureLimit failures;
    private final LoginRecord record;
    private final Map<String, String> providers;

    /** @param providers the names of OpenID providers, by the paths that lead there */
    LoginController(
            KnownTokens tokens,
            BrowserSessions sessions,
            OneTimeCodes codes,
            FailureLimit failures,
            LoginRecord record,
            Map<String, String> providers) {
        this.tokens = tokens;
        this.sessions = sessions;
        this.codes = codes;
        this.failures = failures;
        this.record = record;
        this.providers = providers;
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
        LoginPages.send(response, HttpStatus.OK, LoginPages.of(request).code(code, SessionCsrf.of(request)));
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
            sessions.begin(
                    new Caller(caller.name(), caller.role(), caller.queues(), caller.token(), Caller.By.SESSION),
                    request,
                    response);
            LocalPath.redirect(response, LocalPath.checked(next));
        } else if (check instanceof KnownTokens.Bad bad) {
            refuse(request, response, bad.reason(), next);
        } else {
            show(request, response, HttpStatus.SERVICE_UNAVAILABLE, Sentence.of("login.unchecked"), next);
        }
    }

    private KnownTokens.Check spent(String code) {
        Optional<Caller> caller = codes.spend(code);
        return caller.isPresent()
                ? new KnownTokens.Good(caller.get())
                : new KnownTokens.Bad("the link is not good any more. Make another one with ./tandem login --browser");
    }

    private void refuse(HttpServletRequest request, HttpServletResponse response, String reason, String next)
            throws IOException {
        record.refused(request, reason);
        if (failures.isOverAfter(request.getRemoteAddr(), System.nanoTime())) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Integer.toString(FailureLimit.SECONDS_EACH));
            show(request, response, HttpStatus.TOO_MANY_REQUESTS, Sentence.of("login.too-many"), next);
        } else {
            show(
                    request,
                    response,
                    HttpStatus.UNAUTHORIZED,
                    Sentence.of("login.refused", Sentence.audited(reason)),
                    next);
        }
    }

    private void show(
            HttpServletRequest request,
            HttpServletResponse response,
            HttpStatus status,
            @Nullable Sentence failure,
            String next)
            throws IOException {
        LoginPages.send(
                response,
                status,
                LoginPages.of(request).login(failure, LocalPath.checked(next), SessionCsrf.of(request), providers));
    }

    @PostMapping("/logout")
    void logOut(HttpServletRequest request, HttpServletResponse response) throws IOException {
        sessions.end(request, response);
        LocalPath.redirect(response, LOGIN);
    }
}
