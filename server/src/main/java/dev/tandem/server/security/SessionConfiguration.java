package dev.tandem.server.security;

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
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    @Bean
    CallerFilters callerFilters(
            TandemSettings settings,
            Environment environment,
            KnownTokens tokens,
            Sessions sessions,
            SessionCookies cookies,
            FailureLimit failures,
            OperatorLog log,
            JsonMapper json) {
        if (settings.api().login() == Login.NONE) {
            return new CallerFilters(List.of(new AnybodyFilter()));
        }
        String[] open = CallerFilters.openPaths(
                SecurityConfiguration.endpoints(environment), settings.api().openMetrics());
        return new CallerFilters(List.of(
                new TokenFilter(tokens, failures, new Refusals(json), log, Set.of(open)),
                new SessionFilter(sessions, cookies)));
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

    @Bean
    SessionCookies sessionCookies() {
        return new SessionCookies("Strict");
    }

    @Bean
    LoginController loginController(
            KnownTokens tokens,
            Sessions sessions,
            OneTimeCodes codes,
            SessionCookies cookies,
            FailureLimit failures,
            OperatorLog log,
            AuditLog audit) {
        LoginRecord record = new LoginRecord(log, audit, InstantSource.system());
        return new LoginController(tokens, sessions, codes, cookies, failures, record, Map.of());
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
                "This form is too old, or it is not from a page of this server",
                "Open the page again. Programs send a token in the header Authorization instead of a cookie"));
        FilterRegistrationBean<CsrfFilter> filter = new FilterRegistrationBean<>(csrf);
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE + 3);
        return filter;
    }
}
