package dev.tandem.server.cli;

import dev.tandem.server.cli.ProfileFile.Profile;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which server a command calls: the one of {@code --server}, else of {@code --profile}, of {@code TANDEM_SERVER}, of {@code
 * TANDEM_PROFILE}, of the profile in use, or the one on this machine.
 *
 * @param source where the address comes from, for people
 * @param profile null if it is not that of a profile
 * @param ca the file with the certificates that are trusted; empty for what Java trusts
 * @param tokenFile the file with the token; null for the one that {@code login} keeps
 */
record Target(
        String address,
        String source,
        @Nullable String profile,
        String ca,
        @Nullable Path tokenFile) {

    private static final String DEFAULT = "http://127.0.0.1:8080";

    /**
     * Decides.
     *
     * @param server the option; null if it is not given, as the others
     * @param profiles reads the file with the profiles
     * @throws CliException if both options are given, or there is no such profile
     */
    static Target of(
            @Nullable String server,
            @Nullable String profile,
            @Nullable String ca,
            UnaryOperator<@Nullable String> environment,
            Function<Path, ProfileFile> profiles) {
        String trusted = ca != null ? ca : value(environment, "TANDEM_CA");
        if (server != null && profile != null) {
            throw new CliException(CliException.USAGE, "--server and --profile each name a server: give one of them");
        } else if (server != null) {
            return plain(server, "--server", trusted);
        }
        Path file = ProfileFile.file(environment);
        if (profile != null) {
            return named(profiles.apply(file).get(profile, "--profile"), "--profile", trusted);
        }
        String fromEnvironment = value(environment, "TANDEM_SERVER");
        if (fromEnvironment != null) {
            return plain(fromEnvironment, "TANDEM_SERVER", trusted);
        }
        String chosen = value(environment, "TANDEM_PROFILE");
        ProfileFile read = profiles.apply(file);
        if (chosen != null) {
            return named(read.get(chosen, "TANDEM_PROFILE"), "TANDEM_PROFILE", trusted);
        }
        return read.current()
                .map(current -> named(read.get(current, file.toString()), file.toString(), trusted))
                .orElseGet(() -> plain(DEFAULT, "the default", trusted));
    }

    private static Target plain(String address, String source, @Nullable String ca) {
        return new Target(address, source, null, ca == null ? "" : ca, null);
    }

    private static Target named(Profile profile, String source, @Nullable String ca) {
        String own = profile.ca();
        String file = profile.tokenFile();
        return new Target(
                profile.server(),
                "the profile '" + profile.name() + "' of " + source,
                profile.name(),
                ca != null ? ca : own == null ? "" : own,
                file == null ? null : Path.of(file));
    }

    private static @Nullable String value(UnaryOperator<@Nullable String> environment, String name) {
        String value = environment.apply(name);
        return value == null || value.isBlank() ? null : value;
    }
}
