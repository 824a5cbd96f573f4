package dev.tandem.verify;

import dev.tandem.verify.check.CheckerRule;
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
import java.util.stream.Stream;
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
            CheckerRule.EPOCHS,
            script("fence", "if owner[OWNER_EPOCH] ~= ARGV[HEADER_EPOCH] then", "if false then"),
            script("fence", "elseif tonumber(stored) + 1 ~= tonumber(ARGV[HEADER_NUMBER]) then", "elseif false then")),
    COMMIT_EARLY(
            "a hand-over is committed before it is durable",
            "redis-forgets+kill",
            "kafka-zipf",
            CheckerRule.CUSTODY,
            core(
                    "DeliveryTracker",
                    "case TAKEN_OVER, REPORTED_SETTLED -> entry.stateNumber() <= durableUpTo;",
                    "case TAKEN_OVER, REPORTED_SETTLED -> true;")),
    IGNORE_LOST(
            "what a gap in the numbers says is ignored",
            "redis-forgets",
            "kafka-zipf",
            null,
            core(
                    "StoreAnswerHandler",
                    "answer instanceof StoreAnswer.AlreadyApplied) {\n            recovery.recover();",
                    "answer instanceof StoreAnswer.AlreadyApplied) {"
                            + " RequestLog.Sent ignored = state.requests.answered(request); if (ignored != null) {"
                            + " recovery.takeBackClaims(ignored); ignored.returned().forEach(recovery::backInPlace); }"),
            core("OwnershipRecovery", "private void takeBackClaims(", "void takeBackClaims("),
            core("OwnershipRecovery", "private void backInPlace(", "void backInPlace(")),
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
            CheckerRule.DUPLICATES,
            core(
                    "RequestLog",
                    "return new RequestHeader(partition, writer, ++number, epoch);",
                    "if (++number % 50 == 0 && java.util.concurrent.ThreadLocalRandom.current().nextBoolean()) {"
                            + " number--; } return new RequestHeader(partition, writer, number, epoch);")),
    DROP_FOLLOWERS(
            "what waits behind a failed task is dropped",
            "redis-restart",
            "kafka-zipf",
            CheckerRule.NOTHING_LOST,
            core(
                    "OwnerRequests",
                    "state.block(entry.key(), entry.position(), reason);",
                    "state.block(entry.key(), entry.position(), reason);"
                            + " lane.takeIf(waiting -> true).forEach(waiting -> state.tracker()"
                            + ".mark(waiting, dev.tandem.ordering.lanes.DeliveryState.SETTLED, 0));")),
    DROP_LANE(
            "a retry forgets the lane behind it",
            "kill",
            "kafka-zipf",
            CheckerRule.NOTHING_LOST,
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
            CheckerRule.ORDER,
            script(
                    "lane_heads",
                    "local position = lane_pop(key)\n  if not position",
                    "local position = nil\n  if not position")),
    CANCEL_BEFORE_CLOSE(
            "a consumer is cancelled before its channel is closed",
            "churn",
            "rabbit-ordered",
            CheckerRule.ORDER,
            source(
                    "ingress-rabbit/src/main/java/dev/tandem/rabbit/ConsumerChannel.java",
                    "on.basicConsume(queue, false, this);",
                    "on.basicConsume(queue, false, \"mutant\", this);"),
            source(
                    "ingress-rabbit/src/main/java/dev/tandem/rabbit/ChannelCloser.java",
                    "thread.later(ackWaitMillis(consumer), () -> {",
                    "try { channel.basicCancel(\"mutant\"); } catch (IOException e) { } "
                            + "thread.later(ackWaitMillis(consumer), () -> {")),
    IGNORE_REPLICAS(
            "what no replica has counts as durable",
            "redis-split",
            "kafka-zipf",
            CheckerRule.NOTHING_LOST,
            source(
                    "scheduler-redis/src/main/java/dev/tandem/scheduler/DurabilityBarrier.java",
                    "return everConfirmed && confirmedAt - (probeSentAt - horizonNanos) >= 0;",
                    "return true;"),
            source(
                    "scheduler-redis/src/main/java/dev/tandem/scheduler/ReplicaContact.java",
                    "System.nanoTime() - unansweredSince > TimeUnit.MILLISECONDS.toNanos(leaseMillis) / 2",
                    "false"),
            source(
                    "scheduler-redis/src/main/java/dev/tandem/scheduler/ReplicaContact.java",
                    "return heardAt - sentAt >= 0 || System.nanoTime() - heardAt <= freshNanos();",
                    "return true;")),
    SETTLE_WITHOUT_TOKEN(
            "an outcome ends whatever claim there is",
            "freeze",
            "kafka-zipf",
            CheckerRule.EXCLUSION,
            script("settle_outcome", "if not claim or token_of(claim) ~= token then", "if not claim then")),
    START_LAPSED(
            "a handler starts though the lease of its claim is over",
            "partition-redis",
            "kafka-zipf",
            CheckerRule.LEASED_START,
            core("Run", "return !interrupted && now < leaseUntil;", "return true;"),
            core("Relays", "&& active.run().leaseUntil() - state.now() >= state.settings.leaseMillis() / 4;", ";")),
    START_EXPIRED(
            "a task starts though its time is over",
            "kill",
            "kafka-features",
            CheckerRule.EXPIRY,
            source(Sources.EXECUTOR + "Expiration.java", "return at != NEVER && at <= now;", "return false;")),
    FORGET_TOKENS(
            "the store does not know which tokens of a rate limit are taken",
            "none",
            "kafka-features",
            CheckerRule.RATES,
            source(Sources.SCRIPTS + "include/rate_buckets.lua", "max(now, floor(tonumber(written)))", "now")),
    KEEP_FIRST(
            "the first task with a deduplication key runs, not the last",
            "none",
            "kafka-features",
            CheckerRule.REPLACEMENTS,
            source(Sources.EXECUTOR + "TaskDedupPolicy.java", "case \"keep-last\" -> Mode.KEEP_LAST;", "")),
    KEEP_KEY_OF_DEAD(
            "a deduplication key stays taken when its task has died",
            "none",
            "kafka-features",
            CheckerRule.DEDUPLICATION,
            source(
                    Sources.SCRIPTS + "deduplicate.lua",
                    "if state == BEARER_DONE or e.release == 0 then",
                    "if true then")),
    RUN_WITHOUT_AWAITED(
            "a task runs though the one that it waits for has died",
            "none",
            "kafka-features",
            CheckerRule.DEPENDENCIES,
            source(
                    Sources.EXECUTOR + "DependencyRules.java",
                    "answer.state() == State.FAILED && policy == Policy.RUN;",
                    "answer.state() == State.FAILED;")),
    KEEP_OLD_CHECKPOINT(
            "only the first checkpoint of a task is kept",
            "none",
            "kafka-features",
            CheckerRule.CHECKPOINTS,
            source(
                    Sources.SCRIPTS + "save_checkpoint.lua",
                    "if standing == RUN_CLAIMED then",
                    "if standing == RUN_CLAIMED and call('HEXISTS', CHECKPOINTS, ARGV[1]) == 0 then")),
    DROP_EVENT(
            "one of several events is not published",
            "none",
            "kafka-features",
            CheckerRule.EVENTS,
            source(
                    Sources.RUNTIME + "events/EventRelay.java",
                    "publisher.publish(messages);",
                    "publisher.publish(messages.size() > 1 ? messages.subList(1, messages.size()) : messages);")),
    SKIP_INSTANT(
            "one instant in ten is marked as fired without its task",
            "none",
            "kafka-features",
            CheckerRule.SCHEDULES,
            source(
                    Sources.RUNTIME + "schedules/TaskEffects.java",
                    "return CompletableFuture.supplyAsync(",
                    "if (instant / 1_000 % 10 == 0) { return CompletableFuture.completedFuture(null); }"
                            + " return CompletableFuture.supplyAsync("));

    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    /** Folders of this repository. An enum's constants come before its own. */
    private static final class Sources {
        private static final String SCRIPTS = "scheduler-redis/src/main/resources/dev/tandem/scheduler/";
        private static final String EXECUTOR = "executor/src/main/java/dev/tandem/executor/";
        private static final String RUNTIME = "runtime/src/main/java/dev/tandem/runtime/";
    }

    /** A text that is replaced by another, in a file of this repository. */
    private record Edit(Path file, String text, String by) {}

    private final String about;
    private final String fault;
    private final String workload;
    private final @Nullable CheckerRule shows;
    private final List<Edit> edits;

    Mutant(String about, String fault, String workload, @Nullable CheckerRule shows, Edit... edits) {
        this.about = about;
        this.fault = fault;
        this.workload = workload;
        this.shows = shows;
        this.edits = List.of(edits);
    }

    private static Edit script(String name, String text, String by) {
        return source(Sources.SCRIPTS + "include/" + name + ".lua", text, by);
    }

    /** A class of the core, in whichever package it is. */
    private static Edit core(String className, String text, String by) {
        return new Edit(Path.of(className + ".java"), text, by);
    }

    private static Edit source(String file, String text, String by) {
        return new Edit(Path.of(file), text, by);
    }

    /** Describes the mutant. */
    String about() {
        return about;
    }

    /** Returns the fault that shows it best. */
    Fault fault() {
        return Fault.of(fault);
    }

    /** Under which load. */
    Workload workload() {
        return Workload.of(workload);
    }

    /** A rule that is seen broken; empty if none is, so that only the simulation catches it. */
    Set<CheckerRule> shows() {
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
            for (Path edited : edits.stream().map(Edit::file).distinct().toList()) {
                Path file = locate(edited);
                int parts = file.getNameCount();
                // module/src/main/java/dev/...
                Path made = folder.resolve(file.subpath(4, parts));
                Files.createDirectories(Objects.requireNonNull(made.getParent()));
                Files.writeString(made, edited(edited, file));
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

    /** Finds the source of a class of the core, which is named without its package. */
    private Path locate(Path file) throws IOException {
        if (file.getNameCount() > 1) {
            return file;
        }
        Path sources = ROOT.resolve(Path.of("ordering", "src", "main", "java"));
        try (Stream<Path> files = Files.walk(sources)) {
            List<Path> found = files.filter(each -> each.endsWith(file)).toList();
            if (found.size() != 1) {
                throw new IllegalStateException("The mutant " + this + " edits " + file + ", but " + sources + " has "
                        + found.size() + " files of that name");
            }
            return ROOT.relativize(found.get(0));
        }
    }

    private String edited(Path named, Path file) throws IOException {
        String text = Files.readString(ROOT.resolve(file));
        for (Edit edit : edits) {
            if (edit.file().equals(named)) {
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
