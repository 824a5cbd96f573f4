package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.OneTimeCodes;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.ForbiddenException;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Makes links with which the owner of a token logs in once, in a browser. */
@RestController
@RequestMapping("/api/v1/login-links")
final class LoginLinksController {

    /** @param path is opened at this server. @param seconds for how long it is good */
    record Link(String path, long seconds) {}

    private final OneTimeCodes codes;

    LoginLinksController(OneTimeCodes codes) {
        this.codes = codes;
    }

    @PostMapping
    @Needs({})
    @ResponseStatus(HttpStatus.CREATED)
    Link make(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        if (caller == null || caller.token() == null || caller.by() != Caller.By.TOKEN) {
            throw new ForbiddenException(Sentence.of("problem.login-link"), Sentence.of("remedy.login-link"));
        }
        return new Link(
                LoginController.LINK + "?code=" + codes.make(caller.token()), OneTimeCodes.LIFETIME.toSeconds());
    }
}
