package dev.tandem.runtime.settings;

import dev.tandem.runtime.settings.TandemSettings.TlsSettings;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Checks how a broker or Redis is logged in to, and whether the files of its connections with TLS fit together. They are
 * not read here, because settings are also checked where they are not used: see {@link ConnectionFiles}.
 */
final class ConnectionFilesCheck {

    private static final Pattern PASSWORD = Pattern.compile("://[^/@]*:[^/]*@");

    private final SettingProblems problems;

    ConnectionFilesCheck(SettingProblems problems) {
        this.problems = problems;
    }

    /**
     * Checks the settings of one service.
     *
     * @param section such as {@code tandem.redis}
     * @param scheme what the address begins with if connections have TLS, such as {@code rediss}
     */
    void check(String section, String uri, String scheme, String username, String passwordFile, TlsSettings tls) {
        checkPassword(section, uri, username, passwordFile);
        if (tls.isEmpty()) {
            return;
        }
        String setting = section + ".tls";
        // Of several addresses, one without TLS would be told the password as soon as the others are gone.
        if (!Arrays.stream(uri.split(","))
                .map(String::strip)
                .allMatch(each -> each.startsWith(scheme) || !each.contains("://"))) {
            problems.add(
                    section + ".uri",
                    uri,
                    "each address must begin with " + scheme + "://, because " + setting
                            + " has files: without TLS they have no use");
        }
        if (tls.certificateFile().isEmpty() != tls.keyFile().isEmpty()) {
            String missing = tls.keyFile().isEmpty() ? "key-file" : "certificate-file";
            problems.add(setting + "." + missing, null, "it is needed, because the other one of the pair is set");
        }
    }

    private void checkPassword(String section, String uri, String username, String passwordFile) {
        if (passwordFile.isEmpty()) {
            return;
        }
        String setting = section + ".password-file";
        if (PASSWORD.matcher(uri).find()) {
            problems.add(
                    setting,
                    passwordFile,
                    "the address in " + section + ".uri has a password too: leave one of them out");
        }
        if (username.isEmpty() && section.endsWith("rabbit")) {
            problems.add(section + ".username", null, "it is needed, because " + setting + " is set");
        }
    }
}
