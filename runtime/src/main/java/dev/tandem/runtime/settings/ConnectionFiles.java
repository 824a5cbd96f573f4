package dev.tandem.runtime.settings;

import dev.tandem.runtime.settings.PemFiles.PemException;
import dev.tandem.runtime.settings.TandemSettings.TlsSettings;
import java.util.ArrayList;
import java.util.List;

/** Reads the files of connections once at the start, so that a program does not start with files that cannot be used. */
public final class ConnectionFiles {

    private ConnectionFiles() {}

    /**
     * Reads the files of one service.
     *
     * @param section such as {@code tandem.redis}
     * @throws SettingsException that names each file that cannot be used
     */
    public static void check(String section, String passwordFile, TlsSettings tls) {
        PemFiles files = new PemFiles(section + ".tls", tls);
        List<String> problems = new ArrayList<>();
        if (!passwordFile.isEmpty()) {
            read(() -> SecretFile.read(section + ".password-file", passwordFile), problems);
        }
        read(files::trust, problems);
        read(files::keys, problems);
        if (!problems.isEmpty()) {
            throw new SettingsException(problems);
        }
    }

    private static void read(Runnable reading, List<String> problems) {
        try {
            reading.run();
        } catch (PemException e) {
            problems.add(SettingProblem.ofValue(e.setting, e.file, e.remedy).toString());
        }
    }
}
