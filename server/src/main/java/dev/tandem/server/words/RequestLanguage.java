package dev.tandem.server.words;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Optional;

/** Tells in which language a browser wants pages. */
public final class RequestLanguage {

    /** The cookie in which a browser keeps the language that its user has chosen. */
    public static final String COOKIE = "tandem-language";

    /** The header by which a page asks the API for its own language. Programs have English, in whatever language they run. */
    public static final String HEADER = "Console-Language";

    private RequestLanguage() {}

    /** Returns the language that a request to the API asks for by its header. */
    public static Language asked(HttpServletRequest request) {
        String code = request.getHeader(HEADER);
        return code == null ? Language.EN : Language.withCode(code).orElse(Language.EN);
    }

    /** Returns the language that the user has chosen, or the first one of the browser's that the server has. */
    public static Language of(HttpServletRequest request) {
        if (request.getCookies() != null) {
            for (Cookie cookie : request.getCookies()) {
                if (cookie.getName().equals(COOKIE)) {
                    Optional<Language> chosen = Language.withCode(cookie.getValue());
                    if (chosen.isPresent()) {
                        return chosen.get();
                    }
                }
            }
        }
        return Collections.list(request.getLocales()).stream()
                .flatMap(each -> Language.withCode(each.getLanguage()).stream())
                .findFirst()
                .orElse(Language.EN);
    }
}
