package dev.tandem.server.security;

import dev.tandem.runtime.settings.OidcSettings;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.TandemSettings;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.oauth2.client.autoconfigure.ConditionalOnOAuth2ClientRegistrationProperties;
import org.springframework.boot.security.oauth2.client.autoconfigure.OAuth2ClientProperties;
import org.springframework.boot.security.oauth2.client.autoconfigure.OAuth2ClientPropertiesMapper;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.SupplierClientRegistrationRepository;

/** The beans of the login by OpenID Connect, if Spring's settings name a provider. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnOAuth2ClientRegistrationProperties
@EnableConfigurationProperties(OAuth2ClientProperties.class)
class OidcConfiguration {

    /** Asks the providers at the first login, and not at the start: a server runs its tasks without them. */
    @Bean
    ClientRegistrationRepository clientRegistrations(OAuth2ClientProperties properties) {
        return new SupplierClientRegistrationRepository(() -> {
            List<ClientRegistration> registrations = new ArrayList<>(new OAuth2ClientPropertiesMapper(properties)
                    .asClientRegistrations()
                    .values());
            return new InMemoryClientRegistrationRepository(registrations);
        });
    }

    @Bean
    OidcLogin oidcLogin(
            TandemSettings settings,
            OAuth2ClientProperties clients,
            SessionCookies cookies,
            BrowserSessions sessions,
            LoginRecord record) {
        OidcSettings oidc = settings.api().oidc();
        if (oidc.roles().isEmpty()) {
            throw SettingsException.of(
                    "tandem.api.oidc.roles",
                    "",
                    "list the groups of each role, as in tandem.api.oidc.roles.viewer, or nobody gets in by"
                            + " spring.security.oauth2.client");
        }
        return new OidcLogin(
                clients.getRegistration().keySet(),
                new PendingOidcLogins(cookies, InstantSource.system()),
                new OidcRoles(oidc),
                sessions,
                record);
    }
}
