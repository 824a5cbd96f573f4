package dev.tandem.server.cli;

import dev.tandem.server.credentials.TokenFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The token that a command sends: the one in the file that its profile names, else {@code TANDEM_TOKEN}, else the one in the file that {@code TANDEM_TOKEN_FILE} names, else the
 * one that this user has for the server. It is no option, because other users of the machine can see the options of a command.
 */
final class CliToken {

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_.~+/=-]{1,500}");

    private CliToken() {}

    /**
     * Looks for the token.
     *
     * @param ofProfile the file that the profile of the server names; null if there is none
     * @throws CliException if a file cannot be read
     */
    static Optional<String> of(URI server, @Nullable Path ofProfile, UnaryOperator<@Nullable String> environment) {
        if (ofProfile != null) {
            Optional<String> read = read(ofProfile);
            if (read.isEmpty()) {
                throw new CliException(
                        CliException.USAGE,
                        "The token-file of the profile is '" + ofProfile + "': there is no token in it");
            }
            return read;
        }
        String token = environment.apply("TANDEM_TOKEN");
        if (token != null && !token.isBlank()) {
            return Optional.of(checked("TANDEM_TOKEN", token.strip()));
        }
        String named = environment.apply("TANDEM_TOKEN_FILE");
        if (named != null && !named.isBlank()) {
            Optional<String> read = read(Path.of(named));
            if (read.isEmpty()) {
                throw new CliException(
                        CliException.USAGE, "TANDEM_TOKEN_FILE is '" + named + "': there is no token in it");
            }
            return read;
        }
        return read(file(server, environment));
    }

    /** The source of a token. @param file null if it is in no file */
    record Source(String text, @Nullable Path file) {}

    /** Says where the token for a server is looked for, in the order of {@link #of}. */
    static Source source(URI server, @Nullable Path ofProfile, UnaryOperator<@Nullable String> environment) {
        if (ofProfile != null) {
            return new Source("the profile", ofProfile);
        }
        String token = environment.apply("TANDEM_TOKEN");
        if (token != null && !token.isBlank()) {
            return new Source("TANDEM_TOKEN", null);
        }
        String named = environment.apply("TANDEM_TOKEN_FILE");
        return named != null && !named.isBlank()
                ? new Source("TANDEM_TOKEN_FILE", Path.of(named))
                : new Source("this user", file(server, environment));
    }

    /** Returns the file with this user's token for a server. */
    static Path file(URI server, UnaryOperator<@Nullable String> environment) {
        return TokenFiles.file(TokenFiles.folder(environment), server);
    }

    /** Never shows the token, of which a part may be right. */
    static String checked(String source, String token) {
        if (!FORM.matcher(token).matches()) {
            throw new CliException(
                    CliException.USAGE, source + " has no token: that is one line of letters, digits, _ and -");
        }
        return token;
    }

    private static Optional<String> read(Path file) {
        try {
            return TokenFiles.read(file).map(token -> checked(file.toString(), token));
        } catch (IOException e) {
            throw new CliException(CliException.USAGE, "The token in " + file + " cannot be read: " + e.getMessage());
        }
    }
}
