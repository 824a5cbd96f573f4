package dev.tandem.server.security;

import dev.tandem.runtime.settings.ProxySettings;
import dev.tandem.runtime.targets.AddressRanges;
import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Role;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.PeerAddress;
import dev.tandem.task.LogText;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Believes the headers of a proxy that has logged in the user. The address that counts is that of the connection: an address that
 * a header tells could be anybody's. From everybody else the headers mean nothing.
 */
final class ProxyFilter extends OncePerRequestFilter {

    private static final String WITHOUT_ROLE = ProxyFilter.class.getName() + ".without-role";

    private final AddressRanges proxies;
    private final ProxySettings settings;
    private final GroupRoles roles;

    ProxyFilter(ProxySettings settings) {
        this.settings = settings;
        this.proxies = new AddressRanges(settings.addresses());
        this.roles = new GroupRoles(settings.roles());
    }

    /** Returns the user whom a proxy named and who has no role; null if there was none. */
    static @Nullable String withoutRole(HttpServletRequest request) {
        return (String) request.getAttribute(WITHOUT_ROLE);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        boolean isOther = request.getHeader(HttpHeaders.AUTHORIZATION) != null || Callers.of(request) != null;
        String user = isOther ? null : user(request);
        if (user == null) {
            chain.doFilter(request, response);
            return;
        }
        Optional<Role> role = roles.of(groups(request));
        if (role.isPresent()) {
            TokenFilter.pass(new Caller(user, role.get(), List.of(), null, Caller.By.PROXY), request, response, chain);
        } else {
            request.setAttribute(WITHOUT_ROLE, user);
            chain.doFilter(request, response);
        }
    }

    /** Two values mean that the proxy passed on what a client sent, so neither is believed. */
    private @Nullable String user(HttpServletRequest request) {
        List<String> values = Collections.list(request.getHeaders(settings.userHeader()));
        if (values.size() != 1 || values.get(0).isBlank() || !isProxy(request)) {
            return null;
        }
        return LogText.oneLine(values.get(0).strip(), AccessToken.MAX_NAME);
    }

    private boolean isProxy(HttpServletRequest request) {
        String peer = PeerAddress.of(request);
        return peer != null && proxies.contains(peer);
    }

    private List<String> groups(HttpServletRequest request) {
        List<String> values = Collections.list(request.getHeaders(settings.groupsHeader()));
        return values.size() != 1
                ? List.of()
                : Arrays.stream(values.get(0).split(",")).map(String::strip).toList();
    }
}
