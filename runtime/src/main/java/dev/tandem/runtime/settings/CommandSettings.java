package dev.tandem.runtime.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of a program that tasks may run, under {@code tandem.commands.<name>.}.
 *
 * @param program its absolute path; required
 * @param args its arguments, in which <code>{/pointer}</code> stands for a value of the payload
 * @param allowOptions whether a value of a task may be an argument that begins with a hyphen
 * @param stdin what the program can read
 * @param environment variables, besides those that it always has
 * @param directory where it runs
 * @param user as whom it runs; null: as the server does
 * @param memory the address space of each of its processes; 0 for no limit
 * @param keepOutput how much of the end of its output is kept
 * @param killAfter how long its processes may take to end before they are killed
 * @param deadOn exit codes that make a task dead at once
 * @param retryOn exit codes of failed attempts; all others make a task dead
 */
public record CommandSettings(
        @Nullable String program,
        @DefaultValue List<String> args,
        @DefaultValue("false") boolean allowOptions,
        @DefaultValue("none") Stdin stdin,
        @DefaultValue Map<String, String> environment,
        @DefaultValue("/") String directory,
        @Nullable String user,
        @DefaultValue("1024MB") DataSize memory,
        @DefaultValue("4KB") DataSize keepOutput,
        @DefaultValue("2s") Duration killAfter,
        @DefaultValue List<Integer> deadOn,
        @DefaultValue List<Integer> retryOn) {

    /** The standard input of a program. */
    public enum Stdin {
        NONE,
        PAYLOAD
    }

    /** Leaves out the values of variables, which may be secret. */
    @Override
    public String toString() {
        return "CommandSettings[program=" + program + ", args=" + args + ", environment=" + environment.keySet() + "]";
    }
}
