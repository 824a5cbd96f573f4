package dev.tandem.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A class of tests that gets the {@link Chromium} of this JVM as a parameter, and the {@link ConsoleServer} if it asks for that, and
 * has both for itself while it runs.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(InChromium.Shared.class)
@ResourceLock("chromium")
@Execution(ExecutionMode.SAME_THREAD)
@EnabledIf(value = "dev.tandem.server.Chromium#isInstalled", disabledReason = "Chromium is not installed")
public @interface InChromium {

    /** Starts each of them when it is first asked for. JUnit ends them after the last test. */
    final class Shared implements ParameterResolver {

        private static final Namespace NAMESPACE = Namespace.create(Shared.class);
        private static final Map<Class<?>, Supplier<AutoCloseable>> STARTS =
                Map.of(Chromium.class, Chromium::new, ConsoleServer.class, ConsoleServer::new);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return STARTS.containsKey(parameter.getParameter().getType());
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            Class<?> type = parameter.getParameter().getType();
            return context.getRoot()
                    .getStore(NAMESPACE)
                    .computeIfAbsent(type, none -> STARTS.get(type).get());
        }
    }
}
