package dev.tandem.server.console;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Rights;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.EventStreams;
import dev.tandem.server.console.GoneTask.GoneException;
import dev.tandem.server.console.LivePages.Frame;
import dev.tandem.server.words.RequestLanguage;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Sends the pages that methods return: whole, or as a stream of what changes in them if the request asks for events. So a page
 * and its stream have one address, one check of the caller and one set of parameters.
 */
final class PageAnswers implements HandlerMethodReturnValueHandler {

    /** Permits the files of this server, changes by its API, and nothing else. No script or style may be within a page. */
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

    private final PageRenderer renderer;
    private final LivePages live;
    private final Assets assets;
    private final Rights rights;

    PageAnswers(PageRenderer renderer, LivePages live, Assets assets, Rights rights) {
        this.renderer = renderer;
        this.live = live;
        this.assets = assets;
        this.rights = rights;
    }

    @Override
    public boolean supportsReturnType(MethodParameter type) {
        return type.getParameterType() == Page.class;
    }

    @Override
    public void handleReturnValue(
            @Nullable Object value, MethodParameter type, ModelAndViewContainer container, NativeWebRequest request)
            throws IOException {
        container.setRequestHandled(true);
        HttpServletRequest asked = request.getNativeRequest(HttpServletRequest.class);
        HttpServletResponse response = request.getNativeResponse(HttpServletResponse.class);
        if (!(value instanceof Page page) || asked == null || response == null) {
            throw new IllegalStateException("There is no page");
        }
        if (EventStreams.isAskedFor(asked) && page.live()) {
            // What streams share must have nothing in it that belongs to one of them.
            View view = view(asked, "");
            live.follow(asked, response, view.caller().identity(), key(asked, view), () -> frame(page, view));
        } else {
            send(asked, response, HttpStatus.OK, page);
        }
    }

    private Frame frame(Page page, View view) {
        try {
            return new Frame(renderer.content(page, view), false);
        } catch (GoneException e) {
            return new Frame(renderer.content(e.notice(), view), true);
        }
    }

    /** Sends a stream with nothing but what became of a task that is gone. */
    void sendNotice(HttpServletRequest request, HttpServletResponse response, Page notice) throws IOException {
        byte[] event = LiveStream.event(LiveStream.GONE, renderer.content(notice, view(request, "")))
                .getBytes(StandardCharsets.UTF_8);
        LiveStream.head(response);
        response.getOutputStream().write(event);
    }

    /** Sends a whole page. */
    void send(HttpServletRequest request, HttpServletResponse response, HttpStatus status, Page page)
            throws IOException {
        byte[] bytes = renderer.page(page, view(request, csrf(request))).getBytes(StandardCharsets.UTF_8);
        response.setStatus(status.value());
        response.setContentType("text/html;charset=UTF-8");
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader(HttpHeaders.VARY, "Accept, Accept-Language, Cookie");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    private View view(HttpServletRequest request, String csrf) {
        return new View(RequestLanguage.of(request), caller(request), rights, request.getRequestURI(), csrf, assets);
    }

    private static Caller caller(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        if (caller == null) {
            throw new IllegalStateException("Pages need a login");
        }
        return caller;
    }

    private static String csrf(HttpServletRequest request) {
        return caller(request).by().isAmbient()
                        && request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? token.getToken()
                : "";
    }

    /**
     * Returns what tells one page from another: streams with one key share what is rendered. What is within the frame of a page
     * depends on the rights of the caller, and on nothing else of it.
     */
    private static String key(HttpServletRequest request, View view) {
        return String.join(
                "\n",
                view.caller().role().text(),
                view.caller().queues().stream().sorted().collect(Collectors.joining(",")),
                view.language().code(),
                request.getRequestURI(),
                String.valueOf(request.getQueryString()));
    }
}
