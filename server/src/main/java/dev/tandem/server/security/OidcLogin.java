package dev.tandem.server.security;

import dev.tandem.server.access.Caller;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.user.OAuth2User;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** Logs in the users of OpenID providers. What the provider gave is used once, for the role, and not kept. */
final class OidcLogin {

    private static final Duration CONNECTS_WITHIN = Duration.ofSeconds(5);
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(10);

    private final Set<String> providers;
    private final PendingOidcLogins pending;
    private final OidcRoles roles;
    private final BrowserSessions sessions;
    private final LoginRecord record;

    /** @param providers the ids of those that are configured */
    OidcLogin(
            Set<String> providers,
            PendingOidcLogins pending,
            OidcRoles roles,
            BrowserSessions sessions,
            LoginRecord record) {
        this.providers = Set.copyOf(providers);
        this.pending = pending;
        this.roles = roles;
        this.sessions = sessions;
        this.record = record;
    }

    void addTo(HttpSecurity http) {
        http.addFilterBefore(new OidcLoginLimitFilter(providers), OAuth2AuthorizationRequestRedirectFilter.class);
        http.oauth2Login(login -> login.loginPage(LoginController.LOGIN)
                .authorizationEndpoint(endpoint -> endpoint.authorizationRequestRepository(pending))
                .tokenEndpoint(endpoint -> endpoint.accessTokenResponseClient(tokens()))
                .userInfoEndpoint(endpoint -> endpoint.userService(users()).oidcUserService(oidcUsers()))
                .authorizedClientRepository(new Nowhere())
                .successHandler(this::succeeded)
                .failureHandler(this::failed));
    }

    private void succeeded(HttpServletRequest request, HttpServletResponse response, Authentication user)
            throws IOException {
        Optional<Caller> caller = user.getPrincipal() instanceof OAuth2User known
                ? roles.caller(known.getName(), known.getAttributes())
                : Optional.empty();
        if (caller.isPresent()) {
            sessions.begin(caller.get(), request, response);
            LocalPath.redirect(response, "/");
            return;
        }
        String name = LogText.oneLine(user.getName(), 100);
        record.refused(request, "the user '" + name + "' has no role");
        LoginPages.send(
                response,
                HttpStatus.FORBIDDEN,
                LoginPages.of(request).message(Sentence.of("login.no-role"), Sentence.of("login.no-role-of", name)));
    }

    private void failed(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        // The message may have what the provider, or anybody, wrote into the address.
        record.refused(request, "OpenID Connect: " + LogText.oneLine(String.valueOf(failure.getMessage()), 200));
        LoginPages.send(
                response,
                HttpStatus.UNAUTHORIZED,
                LoginPages.of(request).message(Sentence.of("login.failed"), Sentence.of("login.failed-why")));
    }

    private static SimpleClientHttpRequestFactory connections() {
        SimpleClientHttpRequestFactory connections = new SimpleClientHttpRequestFactory();
        connections.setConnectTimeout(CONNECTS_WITHIN);
        connections.setReadTimeout(ANSWERS_WITHIN);
        return connections;
    }

    private static RestClientAuthorizationCodeTokenResponseClient tokens() {
        RestClientAuthorizationCodeTokenResponseClient client = new RestClientAuthorizationCodeTokenResponseClient();
        client.setRestClient(RestClient.builder()
                .requestFactory(connections())
                .configureMessageConverters(converters -> converters
                        .addCustomConverter(new FormHttpMessageConverter())
                        .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
                .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                .build());
        return client;
    }

    private static DefaultOAuth2UserService users() {
        RestTemplate rest = new RestTemplate(connections());
        rest.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService service = new DefaultOAuth2UserService();
        service.setRestOperations(rest);
        return service;
    }

    private static OidcUserService oidcUsers() {
        OidcUserService service = new OidcUserService();
        service.setOauth2UserService(users());
        return service;
    }

    /** Keeps no tokens of providers. */
    private static final class Nowhere implements OAuth2AuthorizedClientRepository {

        @Override
        @SuppressWarnings("NullAway") // Spring says that there may be none.
        public <T extends OAuth2AuthorizedClient> T loadAuthorizedClient(
                String registration, Authentication user, HttpServletRequest request) {
            return null;
        }

        @Override
        public void saveAuthorizedClient(
                OAuth2AuthorizedClient client,
                Authentication user,
                HttpServletRequest request,
                HttpServletResponse response) {}

        @Override
        public void removeAuthorizedClient(
                String registration, Authentication user, HttpServletRequest request, HttpServletResponse response) {}
    }
}
