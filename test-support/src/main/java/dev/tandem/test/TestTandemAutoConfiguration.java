package dev.tandem.test;

import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.client.TransactionBoundary;
import dev.tandem.runtime.TandemStarter;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.spring.TandemAutoConfiguration;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.json.JsonMapper;

/** Puts a {@link TestTandem} in the place of the brokers and Redis. */
@AutoConfiguration(before = TandemAutoConfiguration.class)
public final class TestTandemAutoConfiguration {

    TestTandemAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    TestTandem testTandem(
            ConfigurableEnvironment environment,
            ObjectProvider<JsonMapper> json,
            ObjectProvider<SubmitInterceptor> interceptors,
            ObjectProvider<TransactionBoundary> transactions) {
        return new TestTandem(
                SettingsLoader.loadForProgram(environment, Map.of()),
                json.getIfAvailable(() -> JsonMapper.builder().build()),
                interceptors.orderedStream().toList(),
                transactions.getIfAvailable(() -> TransactionBoundary.NONE));
    }

    /** Closed with the {@link TestTandem}. */
    @Bean(destroyMethod = "")
    TaskClient testTaskClient(TestTandem tandem) {
        return tandem.client();
    }

    @Bean
    TandemStarter testTandemStarter(TestTandem tandem) {
        return program -> {
            tandem.run(program.program());
            return () -> tandem.run(null);
        };
    }
}
