package dev.tandem.server.programs;

import dev.tandem.api.Handler;
import dev.tandem.runtime.settings.CommandSettings;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.SettingsException;
import dev.tandem.runtime.settings.TandemSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Makes the handlers of queues whose tasks run programs. Linux only. Not thread-safe. */
public final class Programs implements AutoCloseable {

    private static final List<String> FOLDERS = List.of("/usr/bin/", "/bin/");
    private static final int ROOT = 0;

    private final TandemSettings settings;
    private final MeterRegistry registry;
    private final Charset charset;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "tandem-cmd");
        thread.setDaemon(true);
        return thread;
    });

    /** Makes none yet. */
    public Programs(TandemSettings settings, MeterRegistry registry) {
        this(settings, registry, ProgramText.charset());
    }

    /** @param charset in which programs get their arguments */
    Programs(TandemSettings settings, MeterRegistry registry, Charset charset) {
        this.settings = settings;
        this.registry = registry;
        this.charset = charset;
    }

    /** Returns the handler of a queue. @throws SettingsException if its program must not, or cannot, be run */
    public Handler of(QueueSettings queue) {
        String name = Objects.requireNonNull(queue.command(), "command");
        CommandSettings command = Objects.requireNonNull(settings.commands().get(name), name);
        String prefix = "tandem.commands." + name + ".";
        String program = Objects.requireNonNull(command.program(), "program");
        int self = self(prefix, program);
        String problem = ProgramText.problem(charset);
        if (problem == null) {
            problem = ProgramCheck.problem(program, self);
        }
        if (problem != null) {
            throw SettingsException.of(prefix + "program", program, problem);
        }
        if (!Files.isDirectory(Path.of(command.directory()))) {
            throw SettingsException.of(prefix + "directory", command.directory(), "there is no such folder");
        }
        List<String> before = before(prefix, command, self);
        return new ProgramHandler(
                new Program(command, before), queue.maxResultBytes().toBytes() > 0, threads, registry);
    }

    private static int self(String prefix, String program) {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            throw SettingsException.of(
                    prefix + "program", program, "programs can be run on Linux only: leave it out here");
        }
    }

    /** Returns the programs that give the program a session, limits and a user, one after another in the same process. */
    private static List<String> before(String prefix, CommandSettings command, int self) {
        List<String> words = new ArrayList<>();
        words.add(tool(prefix, command, "setsid"));
        words.add(tool(prefix, command, "prlimit"));
        words.add("--core=0");
        if (command.memory().toBytes() > 0) {
            words.add("--as=" + command.memory().toBytes());
        }
        words.add(tool(prefix, command, "setpriv"));
        words.add("--no-new-privs");
        // If this process dies, the program does, too: its task will run elsewhere.
        words.add("--pdeathsig=KILL");
        String user = command.user();
        if (self == ROOT) {
            if (user == null) {
                throw SettingsException.of(
                        prefix + "user",
                        null,
                        "the server runs as root: say as whom the program runs; root, if it must be");
            }
            String ids = ids(prefix, user);
            words.addAll(List.of(
                    "--reuid=" + ids.substring(0, ids.indexOf(':')),
                    "--regid=" + ids.substring(ids.indexOf(':') + 1),
                    "--clear-groups",
                    "--inh-caps=-all"));
        } else if (user != null && !ids(prefix, user).startsWith(self + ":")) {
            throw SettingsException.of(
                    prefix + "user", user, "only a server that runs as root can run programs as somebody else");
        }
        return words;
    }

    private static String tool(String prefix, CommandSettings command, String name) {
        for (String folder : FOLDERS) {
            if (Files.isExecutable(Path.of(folder + name))) {
                return folder + name;
            }
        }
        throw SettingsException.of(
                prefix + "program", command.program(), "to run it, " + name + " of util-linux is needed: install that");
    }

    /** Returns user and group of a user, as numbers. */
    private static String ids(String prefix, String user) {
        if (user.indexOf(':') > 0) {
            return user;
        }
        String found = null;
        try {
            found = Files.readAllLines(Path.of("/etc/passwd")).stream()
                    .map(line -> line.split(":", -1))
                    .filter(fields -> fields.length > 3 && fields[0].equals(user))
                    .map(fields -> fields[2] + ":" + fields[3])
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            // As if the user was not there.
        }
        return required(prefix, user, found);
    }

    private static String required(String prefix, String user, @Nullable String found) {
        if (found == null) {
            throw SettingsException.of(prefix + "user", user, "/etc/passwd has no such user: give uid:gid");
        }
        return found;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
