package dev.tandem.server.security;

import dev.tandem.runtime.settings.ProxySettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.ApiSettings;
import dev.tandem.runtime.settings.TandemSettings.Login;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.FailureLimit;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.OneTimeCodes;
import dev.tandem.server.access.Sessions;
import dev.tandem.server.api.ProblemType;
import dev.tandem.server.logs.OperatorLog;
import dev.tandem.server.words.Sentence;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.security.web.csrf.CsrfFilter;
import tools.jackson.databind.json.JsonMapper;

/** The beans that find out who calls, and those of the sessions of browsers. */
@Configuration(proxyBeanMethods = false)
class SessionConfiguration {

    private static final String REGISTRATIONS = "spring.security.oauth2.client.registration";
    private static final String OAUTH2 = "/oauth2/authorization/";

    @Bean
    CallerFilters callerFilters(
            TandemSettings settings,
            Environment environment,
            KnownTokens tokens,
            Sessions sessions,
            SessionCookies cookies,
            FailureLimit failures,
            LoginRecord record,
            JsonMapper json) {
        if (settings.api().login() == Login.NONE) {
            return new CallerFilters(List.of(new AnybodyFilter()));
        }
        String[] open = CallerFilters.openPaths(
                SecurityConfiguration.endpoints(environment), settings.api().openMetrics());
        TokenFilter byToken = new TokenFilter(tokens, failures, new Refusals(json), record, Set.of(open));
        SessionFilter bySession = new SessionFilter(sessions, cookies);
        ProxySettings proxy = settings.api().proxy();
        return new CallerFilters(
                proxy.addresses().isEmpty()
                        ? List.of(byToken, bySession)
                        : List.of(byToken, bySession, new ProxyFilter(proxy)));
    }

    @Bean
    Sessions sessions(TandemSettings settings, KnownTokens tokens) {
        ApiSettings api = settings.api();
        return new Sessions(tokens, api.sessionIdle(), api.sessionMax(), InstantSource.system());
    }

    @Bean
    OneTimeCodes oneTimeCodes(KnownTokens tokens) {
        return new OneTimeCodes(tokens, InstantSource.system());
    }

    @Bean
    FailureLimit failureLimit() {
        return new FailureLimit();
    }

    /** A browser that comes back from a provider is on its way from another site: it would not send strict cookies. */
    @Bean
    SessionCookies sessionCookies(Environment environment) {
        return new SessionCookies(providers(environment).isEmpty() ? "Strict" : "Lax");
    }

    /** Returns the names of the OpenID providers, by the paths that lead there. */
    private static Map<String, String> providers(Environment environment) {
        Map<String, String> providers = new TreeMap<>();
        Binder.get(environment)
                .bind(REGISTRATIONS, Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .keySet()
                .forEach(id -> providers.put(
                        OAUTH2 + id, environment.getProperty(REGISTRATIONS + "." + id + ".client-name", id)));
        return providers;
    }

    @Bean
    LoginRecord loginRecord(OperatorLog log, AuditLog audit) {
        return new LoginRecord(log, audit, InstantSource.system());
    }

    @Bean
    BrowserSessions browserSessions(Sessions sessions, SessionCookies cookies, LoginRecord record) {
        return new BrowserSessions(sessions, cookies, record);
    }

    @Bean
    LoginController loginController(
            KnownTokens tokens,
            BrowserSessions sessions,
            OneTimeCodes codes,
            FailureLimit failures,
            LoginRecord record,
            Environment environment) {
        return new LoginController(tokens, sessions, codes, failures, record, providers(environment));
    }

    @Bean
    LoginLinksController loginLinksController(OneTimeCodes codes) {
        return new LoginLinksController(codes);
    }

    /** Checks forms once their bodies have been read, within the limits of that. */
    @Bean
    FilterRegistrationBean<CsrfFilter> csrf(SessionCookies cookies, JsonMapper json) {
        SessionCsrf proofs = new SessionCsrf(cookies);
        Refusals refusals = new Refusals(json);
        CsrfFilter csrf = new CsrfFilter(proofs);
        csrf.setRequestHandler(proofs);
        csrf.setRequireCsrfProtectionMatcher(SessionCsrf::isNeeded);
        csrf.setAccessDeniedHandler((request, response, failure) -> refusals.writeForPeople(
                request,
                response,
                ProblemType.FOREIGN_ORIGIN,
                Sentence.of("problem.old-form"),
                Sentence.of("remedy.old-form")));
        FilterRegistrationBean<CsrfFilter> filter = new FilterRegistrationBean<>(csrf);
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE + 3);
        return filter;
    }
}
