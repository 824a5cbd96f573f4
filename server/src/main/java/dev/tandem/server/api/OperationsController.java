package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.Operation.Action;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.operations.TaskSelection;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Begins, shows and stops operations on many tasks. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class OperationsController {

    private static final int MAX_SHOWN = 60;
    private static final int MAX_BYTES = 1_024;

    private final OperationAdministration operations;
    private final OperationReader reader;
    private final InstantSource clock;

    OperationsController(OperationAdministration operations, OperationReader reader, InstantSource clock) {
        this.operations = operations;
        this.reader = reader;
        this.clock = clock;
    }

    @GetMapping("/operations")
    OperationViews.Operations all(@RequestParam(name = "dry-run", required = false) @Nullable Boolean dryRun) {
        return chosen(reader.all(), dryRun);
    }

    @GetMapping("/queues/{queue}/operations")
    OperationViews.Operations ofQueue(
            @PathVariable String queue, @RequestParam(name = "dry-run", required = false) @Nullable Boolean dryRun) {
        return chosen(reader.ofQueue(queue), dryRun);
    }

    /** Returns those that only count, or the others. @param dryRun null for both */
    private static OperationViews.Operations chosen(List<OperationViews.View> all, @Nullable Boolean dryRun) {
        return new OperationViews.Operations(all.stream()
                .filter(each -> dryRun == null || dryRun == each.onlyCounts())
                .toList());
    }

    @GetMapping("/queues/{queue}/operations/{operation}")
    OperationViews.View one(@PathVariable String queue, @PathVariable String operation) {
        return reader.one(queue, operation);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/operations")
    @ResponseStatus(HttpStatus.ACCEPTED)
    OperationViews.View begin(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String action,
            @RequestParam(name = "operation", required = false) @Nullable String operation,
            @RequestParam(name = "dry-run", defaultValue = "false") boolean dryRun,
            @RequestParam(required = false) @Nullable List<String> state,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String error,
            @RequestParam(required = false) @Nullable String fingerprint,
            @RequestParam(name = "due-after", required = false) @Nullable String dueAfter,
            @RequestParam(name = "due-before", required = false) @Nullable String dueBefore,
            @RequestParam(name = "died-after", required = false) @Nullable String diedAfter,
            @RequestParam(name = "died-before", required = false) @Nullable String diedBefore,
            @RequestParam(name = "published-after", required = false) @Nullable String publishedAfter,
            @RequestParam(name = "published-before", required = false) @Nullable String publishedBefore,
            @RequestParam(defaultValue = "false") boolean halting,
            @RequestParam(required = false) @Nullable String at,
            @RequestParam(required = false) @Nullable String delay,
            HttpServletRequest request) {
        QueueSettings settings = reader.settings(queue);
        Action what = action(action);
        TaskSelection selection = new TaskSelection(
                states(what, state),
                partition(queue, partition),
                bounded("key", key),
                bounded("type", type),
                type != null && type.equals(settings.handler()),
                bounded("id", id),
                bounded("error", error),
                dueAfter,
                dueBefore,
                diedAfter,
                diedBefore,
                publishedAfter,
                publishedBefore,
                halting(what, halting),
                TaskReader.fingerprint(fingerprint));
        Caller caller = Callers.of(request);
        return begin(new Operation(
                queue,
                operationId(operation),
                what,
                selection,
                dryRun,
                due(what, at, delay),
                caller == null ? null : caller.name()));
    }

    private OperationViews.View begin(Operation operation) {
        try {
            operation.chooser(clock.millis(), 0);
        } catch (IllegalArgumentException e) {
            throw ProblemType.INVALID_PARAMETER.refusal(
                    Sentence.problem(String.valueOf(e.getMessage())), Sentence.of("remedy.correct-time"));
        }
        return switch (operations.begin(operation)) {
            case BEGUN, KNOWN -> OperationViews.view(reader.find(operation.queue(), operation.id()));
            case DIFFERS ->
                throw ProblemType.ALREADY_EXISTS.refusal(
                        Sentence.of("problem.other-operation", operation.id()), Sentence.of("remedy.other-id"));
            case NO_ROOM ->
                throw ProblemType.TOO_MANY.refusal(
                        Sentence.of("problem.too-many-operations"), Sentence.of("remedy.too-many-operations"));
        };
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/operations/{operation}/stop")
    @ResponseStatus(HttpStatus.ACCEPTED)
    OperationViews.View stop(@PathVariable String queue, @PathVariable String operation) {
        reader.settings(queue);
        return switch (operations.stop(queue, operation)) {
            case STOPPING -> OperationViews.view(reader.find(queue, operation));
            case ENDED ->
                throw ProblemType.ALREADY_ENDED.refusal(
                        Sentence.of("problem.operation-ended", shown(operation)), Sentence.of("remedy.nothing"));
            case UNKNOWN -> throw OperationReader.unknown(operation);
        };
    }

    private static Action action(@Nullable String text) {
        for (Action action : Action.values()) {
            if (action.word().equals(text)) {
                return action;
            }
        }
        throw ApiException.parameter(
                "action",
                text == null ? Sentence.of("problem.action-missing") : Sentence.of("problem.action", shown(text)),
                Sentence.of(
                        "remedy.one-of",
                        Arrays.stream(Action.values()).map(Action::word).collect(Collectors.joining(", "))));
    }

    private static List<TaskState> states(Action action, @Nullable List<String> given) {
        if (given == null || given.isEmpty()) {
            return action.usual();
        }
        List<TaskState> states = new ArrayList<>();
        for (TaskState state : action.allowed()) {
            if (given.stream().anyMatch(each -> each.toLowerCase(Locale.ROOT).equals(Views.lower(state)))) {
                states.add(state);
            }
        }
        for (String each : given) {
            if (states.stream().noneMatch(state -> Views.lower(state).equals(each.toLowerCase(Locale.ROOT)))) {
                throw ApiException.parameter(
                        "state",
                        Sentence.of("problem.state-of-action", shown(each), action.word()),
                        Sentence.of(
                                "remedy.use-or-leave-out",
                                action.allowed().stream().map(Views::lower).collect(Collectors.joining(", "))));
            }
        }
        return states;
    }

    private static @Nullable String partition(String queue, @Nullable String name) {
        if (name != null && !Partition.isName(name)) {
            throw ApiException.parameter(
                    "partition", Sentence.of("problem.partition"), Sentence.of("remedy.partition", queue));
        }
        return name;
    }

    private static @Nullable String bounded(String name, @Nullable String text) {
        if (text != null && (text.isEmpty() || text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES)) {
            throw ApiException.parameter(
                    name,
                    text.isEmpty()
                            ? Sentence.of("problem.empty-parameter", name)
                            : Sentence.of("problem.long-parameter", name, MAX_BYTES),
                    text.isEmpty() ? Sentence.of("remedy.any", name) : Sentence.of("remedy.shorter"));
        }
        return text;
    }

    private static boolean halting(Action action, boolean halting) {
        if (halting && action != Action.DELETE) {
            throw ApiException.parameter(
                    "halting", Sentence.of("problem.halting", action.word()), Sentence.of("remedy.leave-out"));
        }
        return halting;
    }

    private static String operationId(@Nullable String given) {
        if (given != null && !given.matches("[A-Za-z0-9._-]{1,64}")) {
            throw ApiException.parameter(
                    "operation", Sentence.of("problem.operation-id", shown(given)), Sentence.of("remedy.operation-id"));
        }
        return given == null ? UUID.randomUUID().toString() : given;
    }

    /** Returns when tasks are due that are rescheduled, in the words of an operation. */
    private static @Nullable String due(Action action, @Nullable String at, @Nullable String delay) {
        if (action != Action.RESCHEDULE) {
            if (at != null || delay != null) {
                throw ApiException.parameter(
                        "at", Sentence.of("problem.at-of-action", action.word()), Sentence.of("remedy.leave-them-out"));
            }
            return null;
        } else if ((at == null) == (delay == null)) {
            throw ApiException.parameter("delay", Sentence.of("problem.at-or-delay"), Sentence.of("remedy.delay-zero"));
        }
        GivenDelay.refuseNegative(delay);
        return at != null ? at : "+" + delay;
    }

    private static String shown(String text) {
        return LogText.oneLine(text, MAX_SHOWN);
    }
}
