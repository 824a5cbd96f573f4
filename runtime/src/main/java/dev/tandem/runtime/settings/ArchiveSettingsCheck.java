package dev.tandem.runtime.settings;

import java.time.Duration;
import java.util.regex.Pattern;

/** Checks the settings of the archive. */
final class ArchiveSettingsCheck {

    private static final Pattern URL = Pattern.compile("jdbc:postgresql://[^/?\\s]+/[^?\\s]+(\\?\\S*)?");
    private static final Pattern PASSWORD = Pattern.compile("(?i)[?&]password=|://[^/]*@");
    private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,39}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    private ArchiveSettingsCheck() {}

    static void check(TandemSettings settings, SettingProblems problems) {
        ArchiveSettings archive = settings.archive();
        if (!archive.enabled()) {
            return;
        }
        if (PASSWORD.matcher(archive.url()).find()) {
            problems.addHidden(
                    "tandem.archive.url",
                    "it must not contain a user before the host, nor a password: use tandem.archive.username and"
                            + " tandem.archive.password-file");
        } else if (!URL.matcher(archive.url()).matches()) {
            problems.add(
                    "tandem.archive.url",
                    archive.url(),
                    "it must be an address such as jdbc:postgresql://localhost:5432/tandem");
        }
        if (!SCHEMA.matcher(archive.schema()).matches()) {
            problems.add(
                    "tandem.archive.schema",
                    archive.schema(),
                    "it must be 1 to 40 small letters, digits and underscores, and not begin with a digit");
        }
        if (!NAME.matcher(archive.name()).matches()) {
            problems.add(
                    "tandem.archive.name",
                    archive.name(),
                    "it must be 1 to 200 letters, digits, dots, underscores and hyphens");
        }
        problems.checkRange("tandem.archive.keep", archive.keep(), Duration.ofDays(1), Duration.ofDays(3650));
        problems.checkRange(
                "tandem.archive.rabbit-max-bytes", archive.rabbitMaxBytes().toBytes(), 1 << 20, 1L << 40);
        problems.checkRange(
                "tandem.archive.search-timeout",
                archive.searchTimeout(),
                Duration.ofMillis(100),
                Duration.ofMinutes(1));
        if (settings.queues().values().stream()
                .noneMatch(queue -> queue.events().enabled())) {
            problems.add(
                    "tandem.archive.url",
                    archive.url(),
                    "no queue has events, and the archive is fed by them: set tandem.queues.<name>.events.enabled to"
                            + " true, or leave the address out");
        }
    }
}
