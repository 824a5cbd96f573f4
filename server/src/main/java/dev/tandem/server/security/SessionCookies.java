package dev.tandem.server.security;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;

/**
 * The two cookies of a browser: one has the secret of its session, the other one a random secret that its login form is bound to.
 * Scripts cannot read them. Their names have the port, since browsers send the cookies of one port to all others of a host.
 *
 * @param sameSite {@code Strict}, or {@code Lax} where a browser comes back from the page of another site to log in
 */
record SessionCookies(String sameSite) {

    private static final String SESSION = "tandem-session";
    private static final String FORM = "tandem-login";
    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-]{43}");

    @Nullable
    String session(HttpServletRequest request) {
        return read(request, SESSION);
    }

    void setSession(HttpServletRequest request, HttpServletResponse response, String secret) {
        write(request, response, SESSION, secret, -1);
    }

    void removeSession(HttpServletRequest request, HttpServletResponse response) {
        write(request, response, SESSION, "", 0);
    }

    @Nullable
    String form(HttpServletRequest request) {
        return read(request, FORM);
    }

    void setForm(HttpServletRequest request, HttpServletResponse response, String secret) {
        write(request, response, FORM, secret, -1);
    }

    private static @Nullable String read(HttpServletRequest request, String kind) {
        Cookie[] cookies = request.getCookies();
        if (cookies == null) {
            return null;
        }
        String name = name(request, kind);
        for (Cookie cookie : cookies) {
            if (cookie.getName().equals(name)
                    && SECRET.matcher(cookie.getValue()).matches()) {
                return cookie.getValue();
            }
        }
        return null;
    }

    private void write(HttpServletRequest request, HttpServletResponse response, String kind, String value, long age) {
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(name(request, kind), value)
                        .path("/")
                        .httpOnly(true)
                        .secure(request.isSecure())
                        .sameSite(sameSite)
                        .maxAge(age)
                        .build()
                        .toString());
    }

    /** With the prefix {@code __Host-} no other host of the domain can set the cookie. Browsers take it under TLS only. */
    private static String name(HttpServletRequest request, String kind) {
        return (request.isSecure() ? "__Host-" : "") + kind + "-" + request.getServerPort();
    }
}
