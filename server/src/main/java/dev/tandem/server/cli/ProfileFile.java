package dev.tandem.server.cli;

import dev.tandem.server.credentials.TokenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of a user: names for servers, in a file with a section for each. It names files with tokens, and has none
 * itself.
 */
final class ProfileFile {

    /**
     * A server by name.
     *
     * @param ca the file with the certificates that are trusted; null for those that Java trusts
     * @param tokenFile the file with the token; null for the one that {@code login} keeps
     */
    record Profile(
            String name,
            String server,
            @Nullable String ca,
            @Nullable String tokenFile) {}

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,50}");
    private static final Pattern SECTION = Pattern.compile("\\[([^\\]]*)]");
    private static final Pattern SETTING = Pattern.compile("([a-z-]+)\\s*=\\s*(.*)");
    private static final int MAX_BYTES = 256 << 10;

    private final Path file;
    private final Map<String, Profile> profiles = new LinkedHashMap<>();
    private @Nullable String current;

    private ProfileFile(Path file) {
        this.file = file;
    }

    /** Returns where the file of this user is. */
    static Path file(UnaryOperator<@Nullable String> environment) {
        return TokenFiles.folder(environment).resolveSibling("config");
    }

    /** Reads the file. A missing one has no profiles. @throws CliException if it cannot be read */
    static ProfileFile read(Path file) {
        ProfileFile read = new ProfileFile(file);
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw read.wrong("it is too long");
            }
            read.checkOwners();
            read.parse(Files.readString(file));
        } catch (NoSuchFileException e) {
            return read;
        } catch (IOException e) {
            throw read.wrong("it cannot be read: " + e.getMessage());
        }
        return read;
    }

    /** Refuses a file that others could change or replace, and so send the token elsewhere. */
    private void checkOwners() {
        Path folder = file.toAbsolutePath().getParent();
        if (TokenFiles.mayOthersWrite(file)) {
            throw wrong("others may write it, and send your token elsewhere. Run chmod 600 " + file);
        } else if (TokenFiles.isOfAnother(file)) {
            throw wrong("it belongs to another user, who may send your token elsewhere. Make a file of your own");
        } else if (folder != null && TokenFiles.mayOthersWrite(folder)) {
            throw wrong("others may put another one into its folder, and send your token elsewhere. Run chmod 700 "
                    + folder);
        } else if (folder != null && TokenFiles.isOfAnother(folder)) {
            throw wrong(
                    "its folder belongs to another user, who may send your token elsewhere. Set XDG_CONFIG_HOME to a"
                            + " folder of your own");
        }
    }

    private void parse(String text) {
        String section = null;
        int number = 0;
        for (String each : text.lines().toList()) {
            number++;
            String line = each.strip();
            Matcher header = SECTION.matcher(line);
            Matcher setting = SETTING.matcher(line);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            } else if (header.matches()) {
                section = checked(header.group(1));
                profiles.putIfAbsent(section, new Profile(section, "", null, null));
            } else if (setting.matches()) {
                set(section, setting.group(1), setting.group(2), number);
            } else {
                throw wrong("line " + number + " is neither [name] nor a setting");
            }
        }
        profiles.values().forEach(profile -> {
            if (profile.server().isEmpty()) {
                throw wrong("the profile '" + profile.name() + "' has no server: add a line server = URL");
            }
        });
    }

    private void set(@Nullable String section, String name, String value, int number) {
        if (section == null) {
            if (!name.equals("current")) {
                throw wrong(
                        "line " + number + " has '" + name + "' before the first [name]; only current may be there");
            }
            current = value;
            return;
        }
        Profile known = profiles.get(section);
        Profile before = known == null ? new Profile(section, "", null, null) : known;
        profiles.put(
                section,
                switch (name) {
                    case "server" -> new Profile(section, value, before.ca(), before.tokenFile());
                    case "ca" -> new Profile(section, before.server(), value, before.tokenFile());
                    case "token-file" -> new Profile(section, before.server(), before.ca(), value);
                    case "token" ->
                        throw wrong("line " + number
                                + " has a token. Put it into a file that only you can read, and name that"
                                + " in token-file");
                    default ->
                        throw wrong("line " + number + " has '" + name + "': a profile has server, ca and token-file");
                });
    }

    /** @throws CliException if the name has other characters than it may have */
    String checked(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new CliException(
                    CliException.USAGE,
                    "The profile '" + name
                            + "' needs another name: 1 to 50 letters, digits, dots, underscores or hyphens");
        }
        return name;
    }

    Map<String, Profile> profiles() {
        return profiles;
    }

    Optional<String> current() {
        return Optional.ofNullable(current);
    }

    /** Returns a profile. @throws CliException if there is none of this name */
    Profile get(String name, String source) {
        Profile found = profiles.get(name);
        if (found == null) {
            throw new CliException(
                    CliException.USAGE,
                    "There is no profile '" + name + "' (from " + source + ") in " + file + ". "
                            + (profiles.isEmpty()
                                    ? "Add it with ./tandem profile add " + name + " --server URL"
                                    : "It has " + String.join(", ", profiles.keySet())));
        }
        return found;
    }

    void put(Profile profile) {
        profiles.put(profile.name(), profile);
    }

    void remove(String name) {
        profiles.remove(name);
        if (name.equals(current)) {
            current = null;
        }
    }

    void use(@Nullable String name) {
        current = name;
    }

    Path path() {
        return file;
    }

    /** Writes the file whole or not at all, so that only the user can read it. @throws CliException if it cannot */
    void write() {
        StringBuilder text = new StringBuilder("# Written by ./tandem profile. It has no tokens.\n");
        if (current != null) {
            text.append("current = ").append(current).append('\n');
        }
        profiles.values().forEach(profile -> {
            text.append("\n[").append(profile.name()).append("]\n");
            text.append("server = ").append(profile.server()).append('\n');
            if (profile.ca() != null) {
                text.append("ca = ").append(profile.ca()).append('\n');
            }
            if (profile.tokenFile() != null) {
                text.append("token-file = ").append(profile.tokenFile()).append('\n');
            }
        });
        try {
            TokenFiles.write(file, text.toString().strip());
        } catch (IOException e) {
            throw new CliException(CliException.REFUSED, "The profiles cannot be written to " + file + ": " + e);
        }
    }

    private CliException wrong(String why) {
        return new CliException(CliException.USAGE, "The profiles in " + file + " cannot be used: " + why);
    }
}
