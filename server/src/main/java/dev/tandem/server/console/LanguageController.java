package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.words.Language;
import dev.tandem.server.words.RequestLanguage;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Keeps the language that a user has chosen, in a cookie of the browser. */
@Controller
@Needs({})
final class LanguageController {

    private static final Duration KEPT = Duration.ofDays(365);

    @Needs({})
    @PostMapping("/language/{code}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void choose(@PathVariable String code, HttpServletRequest request, HttpServletResponse response) {
        Language.withCode(code).ifPresent(language -> {
            Cookie cookie = new Cookie(RequestLanguage.COOKIE, language.code());
            cookie.setPath("/");
            cookie.setHttpOnly(true);
            cookie.setSecure(request.isSecure());
            cookie.setMaxAge((int) KEPT.toSeconds());
            cookie.setAttribute("SameSite", "Strict");
            response.addCookie(cookie);
        });
    }
}
