package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.Secrets;
import java.util.Arrays;
import java.util.List;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;

/** Finds settings with secrets on the command line, which other users of the machine can read. */
final class CommandLineSecrets {

    private static final int MOST = 10;

    private CommandLineSecrets() {}

    /** Returns the names of such settings, ten at most. */
    static List<String> in(ConfigurableEnvironment environment) {
        return environment.getPropertySources().get(CommandLinePropertySource.COMMAND_LINE_PROPERTY_SOURCE_NAME)
                        instanceof EnumerablePropertySource<?> arguments
                ? Arrays.stream(arguments.getPropertyNames())
                        .filter(name -> Secrets.isSecret(name, String.valueOf(arguments.getProperty(name))))
                        .sorted()
                        .limit(MOST)
                        .toList()
                : List.of();
    }
}
