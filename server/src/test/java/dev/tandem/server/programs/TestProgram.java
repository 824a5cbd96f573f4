package dev.tandem.server.programs;

import dev.tandem.runtime.settings.CommandSettings;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The settings of one command, and its handler. It runs as nobody if the tests run as root. */
final class TestProgram implements AutoCloseable {

    private final Path folder;
    private final Map<String, Object> settings = new LinkedHashMap<>();
    private final List<Programs> opened = new ArrayList<>();

    TestProgram(Path folder) {
        this.folder = folder;
        settings.put("tandem.queues.orders.source", "kafka");
        settings.put("tandem.queues.orders.handler", "cmd");
        settings.put("tandem.queues.orders.command", "c");
        settings.put("tandem.queues.orders.max-result-bytes", "32KB");
        if (isRoot()) {
            set("user", "65534:65534");
        }
    }

    static long self() {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isRoot() {
        return self() == 0;
    }

    static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ')
                    .strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** @param value null for nothing */
    TestProgram set(String setting, String value) {
        if (value != null) {
            settings.put("tandem.commands.c." + setting, value);
        }
        return this;
    }

    /** Makes a program. */
    TestProgram script(String text) throws IOException {
        Path program = Files.writeString(folder.resolve("program"), text);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return set("program", program.toString());
    }

    /** Lets the program write into a folder. The settings must have been checked before. */
    TestProgram openTo(Path writable) throws IOException {
        settings.put("open", writable);
        return this;
    }

    CommandSettings settings() {
        return load().commands().get("c");
    }

    private TandemSettings load() {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", settings));
        return SettingsLoader.load(environment);
    }

    ProgramHandler handler() throws IOException {
        return handler(ProgramText.charset());
    }

    /** @param charset that of the locale */
    ProgramHandler handler(Charset charset) throws IOException {
        Path open = (Path) settings.remove("open");
        TandemSettings loaded = load();
        Programs commands = new Programs(loaded, new SimpleMeterRegistry(), charset);
        opened.add(commands);
        ProgramHandler handler = (ProgramHandler) commands.of(loaded.queues().get("orders"));
        if (open != null) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        return handler;
    }

    @Override
    public void close() {
        opened.forEach(Programs::close);
    }
}
