package dev.tandem.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds {@code tandem} to the health of the application. */
@AutoConfiguration(after = TandemAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(TandemLifecycle.class)
public final class TandemHealthAutoConfiguration {

    TandemHealthAutoConfiguration() {}

    // On the method, since its condition can be read only where the class is there.
    @Bean
    @ConditionalOnEnabledHealthIndicator("tandem")
    @ConditionalOnMissingBean(name = "tandemHealthIndicator")
    HealthIndicator tandemHealthIndicator(TandemLifecycle lifecycle) {
        return new TandemHealth(lifecycle);
    }
}
