package dev.tandem.verify;

import dev.tandem.verify.check.Rule;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A product that breaks one rule: a class or a script with a text replaced, which executors find on their class path
 * before the right one. Nothing in the product knows of it.
 *
 * <p>The docs' table of mutants says what catches each of them.
 */
enum Mutant {
    SKIP_EPOCH(
            "a former owner's requests apply",
            "partition-broker",
            "kafka-zipf",
            Rule.EPOCHS,
            script("fence", "if owner[OWNER_EPOCH] ~= ARGV[HEADER_EPOCH] then", "if false then"),
            script("fence", "elseif tonumber(stored) + 1 ~= tonumber(ARGV[HEADER_NUMBER]) then", "elseif false then")),
    COMMIT_EARLY(
            "a hand-over is committed before it is durable",
            "redis-forgets+kill",
            "kafka-zipf",
            Rule.CUSTODY,
            core("COMMIT_ONLY_DURABLE")),
    IGNORE_LOST("what a gap in the numbers says is ignored", "redis-forgets", "kafka-zipf", null, core("HEED_LOST")),
    APPLY_TWICE(
            "the store applies a number that it applied before",
            "partition-redis",
            "kafka-zipf",
            null,
            script("fence", "if stored == ARGV[HEADER_NUMBER] then", "if false then"),
            script(
                    "fence",
                    "elseif tonumber(stored) + 1 ~= tonumber(ARGV[HEADER_NUMBER]) then",
                    "elseif stored ~= ARGV[HEADER_NUMBER] and tonumber(stored) + 1 ~="
                            + " tonumber(ARGV[HEADER_NUMBER]) then")),
    REUSE_NUMBER(
            "now and then a request has the number of the one before",
            "redis-restart",
            "kafka-zipf",
            Rule.DUPLICATES,
            source(
                    "ordering/src/main/java/dev/tandem/ordering/RequestLog.java",
                    "return new RequestHeader(partition, writer, ++number, epoch);",
                    "if (++number % 50 == 0 && java.util.concurrent.ThreadLocalRandom.current().nextBoolean()) {"
                            + " number--; } return new RequestHeader(partition, writer, number, epoch);")),
    DROP_FOLLOWERS(
            "what waits behind a failed task is dropped",
            "redis-restart",
            "kafka-zipf",
            Rule.NOTHING_LOST,
            core("PARK_FOLLOWERS")),
    DROP_LANE(
            "a retry forgets the lane behind it",
            "kill",
            "kafka-zipf",
            Rule.NOTHING_LOST,
            script(
                    "settle_outcome",
                    "  if key then\n    block(key, BLOCKED_BY_HEAD, position)\n    any_blocked = true\n  end",
                    "  if key then\n    block(key, BLOCKED_BY_HEAD, position)\n    any_blocked = true\n"
                            + "    local lost = lane_pop(key)\n    while lost do\n"
                            + "      call('HDEL', TASKS, lost)\n      lost = lane_pop(key)\n    end\n  end")),
    OPEN_NOT_EMPTY(
            "a key opens again though others wait in its lane",
            "redis-restart",
            "kafka-zipf",
            Rule.ORDER,
            script(
                    "settle_outcome",
                    "local position = lane_pop(key)\n  if not position",
                    "local position = nil\n  if not position")),
    CANCEL_BEFORE_CLOSE(
            "a consumer is cancelled before its channel is closed",
            "churn",
            "rabbit-ordered",
            Rule.ORDER,
            source(
                    "ingress-rabbit/src/main/java/dev/tandem/rabbit/Intake.java",
                    "on.basicConsume(queue, false, this);",
                    "on.basicConsume(queue, false, \"mutant\", this);"),
            source(
                    "ingress-rabbit/src/main/java/dev/tandem/rabbit/BrokerCalls.java",
                    "later(acksMillis(intake), () -> {",
                    "try { channel.basicCancel(\"mutant\"); } catch (IOException e) { } later(acksMillis(intake), () -> {")),
    SETTLE_WITHOUT_TOKEN(
            "an outcome ends whatever claim there is",
            "freeze",
            "kafka-zipf",
            Rule.EXCLUSION,
            script("settle_outcome", "if not claim or token_of(claim) ~= token then", "if not claim then"));

    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    /** A text that is replaced by another, in a file of this repository. */
    private record Edit(Path file, String text, String by) {}

    private final String about;
    private final String fault;
    private final String workload;
    private final @Nullable Rule shows;
    private final List<Edit> edits;

    Mutant(String about, String fault, String workload, @Nullable Rule shows, Edit... edits) {
        this.about = about;
        this.fault = fault;
        this.workload = workload;
        this.shows = shows;
        this.edits = List.of(edits);
    }

    private static Edit script(String name, String text, String by) {
        return source("scheduler-redis/src/main/resources/dev/tandem/scheduler/include/" + name + ".lua", text, by);
    }

    /** The core has rules that its own tests break. */
    private static Edit core(String rule) {
        return source(
                "ordering/src/main/java/dev/tandem/ordering/QueueCore.java",
                "this(kind, policy, settings, executor, Set.of());",
                "this(kind, policy, settings, executor, Set.of(Rule." + rule + "));");
    }

    private static Edit source(String file, String text, String by) {
        return new Edit(Path.of(file), text, by);
    }

    /** What it does. */
    String about() {
        return about;
    }

    /** What shows it best. */
    Fault fault() {
        return Fault.of(fault);
    }

    /** Under which load. */
    Workload workload() {
        return Workload.of(workload);
    }

    /** A rule that is seen broken; empty if none is, so that only the simulation catches it. */
    Set<Rule> shows() {
        return shows == null ? Set.of() : Set.of(shows);
    }

    /**
     * Makes it.
     *
     * @param folder for its files
     * @return the class path of its executors
     * @throws IllegalStateException naming the text that the product does not have any more
     */
    String classPath(Path folder) {
        String usual = System.getProperty("java.class.path");
        List<String> sources = new ArrayList<>();
        try {
            for (Path file : edits.stream().map(Edit::file).distinct().toList()) {
                int parts = file.getNameCount();
                // module/src/main/java/dev/...
                Path made = folder.resolve(file.subpath(4, parts));
                Files.createDirectories(Objects.requireNonNull(made.getParent()));
                Files.writeString(made, edited(file));
                if (file.toString().endsWith(".java")) {
                    sources.add(made.toString());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!sources.isEmpty()) {
            compile(sources, usual, folder);
        }
        return folder + File.pathSeparator + usual;
    }

    private String edited(Path file) throws IOException {
        String text = Files.readString(ROOT.resolve(file));
        for (Edit edit : edits) {
            if (edit.file().equals(file)) {
                if (text.split(java.util.regex.Pattern.quote(edit.text()), -1).length != 2) {
                    throw new IllegalStateException(
                            "The mutant " + this + " replaces '" + edit.text() + "', which is not" + " there once in "
                                    + file + " any more: have it break the same rule where that is kept now");
                }
                text = text.replace(edit.text(), edit.by());
            }
        }
        return text;
    }

    private void compile(List<String> sources, String classPath, Path folder) {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK runs the tests");
        List<String> arguments = new ArrayList<>(
                List.of("-proc:none", "-nowarn", "-implicit:none", "-d", folder.toString(), "-cp", classPath));
        arguments.addAll(sources);
        var errors = new java.io.ByteArrayOutputStream();
        if (compiler.run(null, errors, errors, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException(
                    "The mutant " + this + " does not compile: " + errors.toString(StandardCharsets.UTF_8));
        }
    }
}
