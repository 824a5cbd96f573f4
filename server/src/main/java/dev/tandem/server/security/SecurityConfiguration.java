package dev.tandem.server.security;

import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.ApiSettings;
import dev.tandem.runtime.settings.TandemSettings.Login;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Permission;
import dev.tandem.server.access.Rights;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.api.ListeningAddress;
import dev.tandem.server.api.ProblemType;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/** The beans of the login. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@Import({SessionConfiguration.class, OidcConfiguration.class})
public class SecurityConfiguration {

    /** The files that pages of the console load. They are the same for everybody. */
    private static final String ASSETS = "/assets/**";

    @Bean
    KnownTokens knownTokens(TokenBook book) {
        return new KnownTokens(book, InstantSource.system(), System::nanoTime);
    }

    @Bean
    AccessService accessService(TandemSettings settings, TokenBook book, KnownTokens tokens) {
        return new AccessService(settings.api(), book, tokens);
    }

    /** Keeps Spring Boot from making a user with a password. */
    @Bean
    AuthenticationManager noPasswords() {
        return authentication -> {
            throw new BadCredentialsException("There are no passwords");
        };
    }

    /**
     * Lets every path through to its route. Ids and keys in paths may have any character, and the access to a route does not
     * depend on how its path is written.
     */
    @Bean
    HttpFirewall anyPath() {
        return new HttpFirewall() {
            @Override
            public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
                return new FirewalledRequest(request) {
                    @Override
                    public void reset() {
                        // Nothing was changed.
                    }
                };
            }

            @Override
            public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
                return response;
            }
        };
    }

    @Bean
    SecurityFilterChain login(
            HttpSecurity http,
            TandemSettings settings,
            Environment environment,
            CallerFilters callers,
            ObjectProvider<OidcLogin> oidc,
            JsonMapper json)
            throws Exception {
        Refusals refusals = new Refusals(json);
        ApiSettings api = settings.api();
        if (api.login() == Login.NONE) {
            refuseIfOpen(environment, "server.address");
            if (environment.containsProperty("management.server.port")) {
                refuseIfOpen(environment, "management.server.address");
            }
        }
        String endpoints = endpoints(environment);
        String[] open = CallerFilters.openPaths(endpoints, api.openMetrics());
        callers.filters().forEach(filter -> http.addFilterBefore(filter, AnonymousAuthenticationFilter.class));
        if (api.login() != Login.NONE) {
            oidc.ifAvailable(login -> login.addTo(http));
        }
        return http.authorizeHttpRequests(requests -> {
                    requests.dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.ASYNC)
                            .permitAll();
                    requests.requestMatchers(open).permitAll();
                    requests.requestMatchers(LoginController.LOGIN, LoginController.LINK, ASSETS)
                            .permitAll();
                    requests.requestMatchers(endpoints + "/**")
                            .hasAuthority(CallerAuthentication.authority(Permission.VIEW));
                    // What a caller may do is up to RouteAccess, which knows the route.
                    requests.anyRequest().authenticated();
                })
                .exceptionHandling(refused -> refused.authenticationEntryPoint(
                                (request, response, failure) -> askForLogin(request, response, refusals))
                        .accessDeniedHandler((request, response, failure) -> refusals.write(
                                request,
                                response,
                                ProblemType.NOT_PERMITTED,
                                Sentence.of("problem.role-of-token"),
                                Sentence.of("remedy.other-role"))))
                .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                // Has a filter of its own, see above. The sessions are not the web server's.
                .csrf(AbstractHttpConfigurer::disable)
                .headers(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .build();
    }

    /** Returns the path below which the actuator is. */
    static String endpoints(Environment environment) {
        return environment.getProperty("management.endpoints.web.base-path", "/actuator");
    }

    private static void askForLogin(HttpServletRequest request, HttpServletResponse response, Refusals refusals)
            throws IOException {
        String user = ProxyFilter.withoutRole(request);
        if (user != null) {
            refusals.writeForPeople(
                    request,
                    response,
                    ProblemType.NOT_PERMITTED,
                    Sentence.of("problem.user-without-role", user),
                    Sentence.of("remedy.user-without-role"));
        } else if (Refusals.isPage(request)) {
            LocalPath.redirect(response, loginPath(request));
        } else {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
            refusals.write(
                    request,
                    response,
                    ProblemType.LOGIN_REQUIRED,
                    Sentence.of("problem.login"),
                    Refusals.HOW_TO_LOG_IN);
        }
    }

    private static String loginPath(HttpServletRequest request) {
        String query = request.getQueryString();
        String path = request.getRequestURI() + (query == null ? "" : "?" + query);
        return path.equals("/")
                ? LoginController.LOGIN
                : LoginController.LOGIN + "?next=" + URLEncoder.encode(path, StandardCharsets.UTF_8);
    }

    private static void refuseIfOpen(Environment environment, String setting) {
        String address = environment.getProperty(setting);
        if (ListeningAddress.isOpen(address)) {
            throw SettingsException.of(
                    "tandem.api.login",
                    "none",
                    "other machines can reach this server, because " + setting + " is '" + address
                            + "'. Set that to 127.0.0.1, or remove tandem.api.login");
        }
    }

    @Bean
    Rights rights(TandemSettings settings) {
        return new Rights(settings.api().payloadEditors());
    }

    @Bean
    WebMvcConfigurer routeAccess(Rights rights) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(new RouteAccess(rights)).order(Integer.MIN_VALUE + 1);
            }
        };
    }
}
