package dev.tandem.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Runs the handlers of the application in memory, in any test with its context, such as one with {@code @SpringBootTest}. The
 * context gets a {@link TestTandem}, which forgets everything before each test.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration(TestTandemAutoConfiguration.class)
public @interface AutoConfigureTestTandem {}
