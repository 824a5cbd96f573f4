package dev.tandem.server.security;

import jakarta.servlet.http.HttpServletResponse;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/** Where a browser goes after the login: a page of this server, whatever it was asked for. */
final class LocalPath {

    private static final Pattern SAFE = Pattern.compile("/(?![/\\\\])[A-Za-z0-9._~%!$&'()*+,;=:@/?-]*");
    private static final int LONGEST = 1_000;

    private LocalPath() {}

    /** Returns the path if it surely is one of this server, else that of the start page. */
    static String checked(String path) {
        return path.length() <= LONGEST && SAFE.matcher(path).matches() ? path : "/";
    }

    /** Sends the browser to a path of this server. */
    static void redirect(HttpServletResponse response, String path) {
        response.setStatus(HttpStatus.SEE_OTHER.value());
        response.setHeader(HttpHeaders.LOCATION, path);
    }
}
