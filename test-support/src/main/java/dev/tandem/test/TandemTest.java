package dev.tandem.test;

import dev.tandem.spring.TandemAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Tests the handlers and gateways of a Spring Boot application, in memory and with a settable clock. The context has the
 * components with {@link dev.tandem.api.TaskHandler} methods, those that are interceptors, the gateways, Jackson, and a {@link
 * TestTandem}, which forgets everything before each test. What the handlers need besides is imported or mocked by the test.
 *
 * <p>{@link AutoConfigureTestTandem} does the same for a test with the whole application.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(TandemTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(TandemTypeExcludeFilter.class)
@AutoConfigureTestTandem
@ImportAutoConfiguration({JacksonAutoConfiguration.class, TandemAutoConfiguration.class})
public @interface TandemTest {

    /** Properties of the environment, such as {@code tandem.queues.orders.max-attempts=3}. */
    String[] properties() default {};

    /** Returns whether components with handlers are included without being named. */
    boolean useDefaultFilters() default true;

    /** Components that are included, too. */
    Filter[] includeFilters() default {};

    /** Components that are left out. */
    Filter[] excludeFilters() default {};
}
