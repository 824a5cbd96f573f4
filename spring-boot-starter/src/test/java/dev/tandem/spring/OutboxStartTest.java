package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskClient;
import dev.tandem.outbox.RelaySettings;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/** Tests of what an application is told at its start if it cannot have its outbox. Nothing connects to a broker. */
@ExtendWith(OutputCaptureExtension.class)
class OutboxStartTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class, TandemAutoConfiguration.class, TandemOutboxAutoConfiguration.class))
            .withPropertyValues("tandem.queues.orders.source=kafka");

    private static DataSource memory() {
        return new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
    }

    @Test
    void withoutTheTableTasksGoToTheBroker() {
        application.withBean("shop", DataSource.class, OutboxStartTest::memory).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(ApplicationOutbox.class).isUsed()).isFalse();
            assertThat(context.getBean(TaskClient.class).toString()).isEqualTo("TandemClient[orders]");
        });
        application.run(context -> assertThat(context).hasNotFailed());
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ApplicationOutbox.class));
    }

    @Test
    void aDatabaseWithoutTheTableIsSaid(CapturedOutput output) {
        ApplicationContextRunner shop = application.withBean("shop", DataSource.class, OutboxStartTest::memory);

        application.run(context -> assertThat(context).hasNotFailed());
        shop.withPropertyValues("tandem.outbox.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("tandem_outbox");
        shop.run(context -> assertThat(output)
                .containsOnlyOnce("Tasks are sent after the commit and may be lost")
                .contains("there is no table tandem_outbox in shop", "tandem.outbox.enabled"));
    }

    @Test
    void anOutboxThatIsDemandedAndCannotBeIsSaidPlainly() {
        ApplicationContextRunner demanding = application.withPropertyValues("tandem.outbox.enabled=true");

        demanding.run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(StartException.class)
                .hasMessageContaining("the application has no DataSource"));
        demanding.withBean("shop", DataSource.class, OutboxStartTest::memory).run(context -> {
            assertThat(context).getFailure().hasMessageContaining("does not know the database H2");
            // No method of the application is to blame.
            assertThat(new StartFailureAnalyzer()
                            .analyze(context.getStartupFailure())
                            .getAction())
                    .startsWith("Do what is said above");
        });
        demanding
                .withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
                .run(context -> assertThat(context).getFailure().hasMessageContaining("add spring-boot-starter-jdbc"));
    }

    @Test
    void theRelayWorksBySettings() {
        application
                .withPropertyValues(
                        "tandem.outbox.lease=20s",
                        "tandem.outbox.batch=10",
                        "tandem.outbox.when-refused=skip",
                        "tandem.outbox.grace=2h")
                .run(context -> assertThat(
                                context.getBean(ApplicationOutbox.class).relaySettings())
                        .isEqualTo(new RelaySettings(
                                Duration.ofSeconds(20), 10, RelaySettings.WhenRefused.SKIP, Duration.ofHours(2))));
    }

    @Test
    void aDataSourceThatIsNotThereIsNamed() {
        application
                .withPropertyValues("tandem.outbox.data-source=other")
                .withBean("shop", DataSource.class, OutboxStartTest::memory)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("tandem.outbox.data-source is 'other'")
                        .hasMessageContaining("shop"));
    }

    @Test
    void aClientOfTheApplicationTakesThePlaceOfAll() {
        application
                .withBean("mine", TaskClient.class, DisabledTaskClient::new)
                .withPropertyValues("tandem.outbox.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ApplicationOutbox.class));
    }
}
